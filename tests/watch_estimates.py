#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write tests/unit/estimate_table.h: test cases for estimates of the remaining time of a run.

The expected values are computed here by a second implementation of the formulas, which shares no code with
src/explain/watch/estimate.c.  Run this script only to change the cases."""
import math
import random
import statistics as st


def t_quantile(p, nu):
    """Return a quantile of Student's t distribution by bisection; the density is integrated with Simpson's rule."""
    c = math.exp(math.lgamma((nu + 1) / 2) - math.lgamma(nu / 2)) / math.sqrt(nu * math.pi)

    def cdf(t, n=4000):
        h = t / n
        f = lambda x: c * (1 + x * x / nu) ** (-(nu + 1) / 2)
        return 0.5 + h / 3 * (f(0) + f(t) + 4 * sum(f((2 * i + 1) * h) for i in range(n // 2))
                              + 2 * sum(f(2 * i * h) for i in range(1, n // 2)))
    lo, hi = 0.0, 100.0
    for _ in range(60):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if cdf(mid) < p else (lo, mid)
    return lo


def interpolate(pairs, x):
    for (x0, y0), (x1, y1) in zip(pairs, pairs[1:]):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return None


def first_reached(curve, v):
    up = curve[-1][2] >= curve[0][2]
    better = (lambda a: a >= v) if up else (lambda a: a <= v)
    if better(curve[0][2]):
        return curve[0][0]
    for (s0, _, v0), (s1, _, v1) in zip(curve, curve[1:]):
        if better(v1):
            return s0 + (s1 - s0) * (v - v0) / (v1 - v0)
    return None


def estimate(curve, now, runs, ref, scale):
    n = len(runs)
    rel = st.stdev(ref) / st.mean(ref) if len(ref) > 1 else 0.12
    width = lambda X: (t_quantile(0.9, len(X) - 1) * math.sqrt(1 + 1 / len(X)) * st.stdev(X) if len(X) > 2
                       else 1.2816 * math.sqrt(1 + 1 / len(X)) * rel * st.mean(X))
    if not curve:
        if not n:
            return None
        M = [r["minutes"] for r in runs]
        longer = [m for m in M if m > now]
        x = st.mean(longer) if longer else max(M)
        lo, hi = min(st.mean(M) - width(M), x), max(st.mean(M) + width(M), x)
        return "runs", max(0, x - now), max(0, lo - now) * .98, max(0, hi - now) * 1.02
    if not n and not ref:
        return None
    s, t, v = curve[-1]
    if len(curve) > 1:
        p = (t - curve[0][1]) / (s - curve[0][0])
        d = s - curve[-2][0]
    else:
        p = (st.mean([(r["curve"][-1][1] - r["curve"][0][1]) / (r["curve"][-1][0] - r["curve"][0][0])
                      for r in runs]) if n else t / s)
        gaps = [b[0] - a[0] for r in runs for a, b in zip(r["curve"], r["curve"][1:])]
        d = st.median(gaps) if gaps else 0
    known = []
    for r in runs:
        at = interpolate([(a, c) for a, _, c in r["curve"]], s)
        if at is not None and r["needed"] > s:
            known.append((r["needed"], at, first_reached(r["curve"], v)))
    if not n:
        kind, X = "reference", [q * scale for q in ref]
        half = 1.2816 * st.stdev(X)
    elif len(known) < 3:
        kind, X = "runs", [r["needed"] for r in runs]
        half = width(X)
    else:
        kind = "curves"
        xs, vs = [k[0] for k in known], [k[1] for k in known]
        m = len(known)
        vm, xm = st.mean(vs), st.mean(xs)
        var = sum((a - vm) ** 2 for a in vs)
        b = sum((a - vm) * (c - xm) for a, c in zip(vs, xs)) / var * m / (m + 6) if var else 0
        lim = 2 * st.pstdev(vs)
        D = min(lim, max(-lim, v - vm))
        X = [c + b * (D - (a - vm)) for a, c in zip(vs, xs)]
        further = [k[0] - k[2] for k in known if k[2] is not None]
        if len(further) >= 3:
            w1, w2 = 1 / st.variance(X), 1 / st.variance(further)
            shift = (st.mean(X) * w1 + (s + st.mean(further)) * w2) / (w1 + w2) - st.mean(X)
            X = [q + shift for q in X]
        half = width(X)
    ahead = [q for q in X if q > s]
    up = lambda q: s + max(1, math.ceil((q - s) / d - 1e-9)) * d if d else max(q, s)
    near = lambda q: s + max(1, math.floor((q - s) / d + .5)) * d if d else max(q, s)
    x = near(s) if not ahead else near(st.mean(ahead)) if kind == "curves" else up(st.mean(ahead))
    lo, hi = min(up(st.mean(X) - half), x), max(up(st.mean(X) + half), x)
    tail = st.mean([r["minutes"] - r["curve"][-1][1] for r in runs]) if n else 0
    left = lambda q: max(0, t - now + (q - s) * p + tail)
    return kind, left(x), left(lo) * .98, left(hi) * 1.02


def grown(rng, steps, d, pace, falling):
    first, last = (2.0, 0.9) if falling else (0.1, 0.75)
    return [(d * (i + 1), round(0.2 + pace * d * (i + 1) + rng.uniform(0, .01), 4),
             round(last + (first - last) * math.exp(-3 * (i + 1) / steps) + rng.uniform(-.01, .01), 5))
            for i in range(steps)]


def main():
    rng = random.Random(7)
    print("/* SPDX-License-Identifier: Apache-2.0 */\n/* estimate_table.h - runs, what was known, and the time left; "
          "made by tests/watch_estimates.py. */\n#pragma once\n\n#include \"explain/watch/live.h\"\n\n/* clang-format off */")
    print("static const struct {\n    double now, scale;\n    const char *from;\n    double left, low, high;\n"
          "    size_t count, run_count, reference_count;\n    mls_value_point curve[8];\n    struct {\n"
          "        double minutes, needed;\n        size_t count;\n        mls_value_point curve[16];\n    } runs[6];\n"
          "    double reference[6];\n} estimate_table[] = {")
    for case in range(60):
        falling, d, pace = case % 2 == 0, rng.choice([378, 192, 16384]), rng.choice([.0004, .002])
        runs = []
        for _ in range(rng.choice([0, 0, 1, 2, 3, 4, 6])):
            curve = grown(rng, rng.randint(6, 14), d, pace * rng.uniform(.97, 1.03), falling)
            runs.append({"curve": curve, "needed": curve[-1][0], "minutes": round(curve[-1][1] + .03, 4)})
        ref = [d * rng.randint(6, 14) for _ in range(rng.choice([0, 4, 6]))]
        if len(set(ref)) == 1:
            ref = []
        k = rng.randint(0, 8)
        curve = grown(rng, 10, d, pace, falling)[:k]
        now = round((curve[-1][1] if curve else 0) + rng.uniform(0, pace * d), 4)
        scale = rng.choice([1, 1.07])
        got = estimate(curve, now, runs, ref, scale)
        kind, left, low, high = got if got else (None, math.nan, math.nan, math.nan)
        word = lambda x: "NAN" if math.isnan(x) else repr(float(x))
        points = lambda c: "{" + ", ".join("{%r, %r, %r}" % q for q in c) + "}" if c else "{{0, 0, 0}}"
        print("    {%r, %r, %s, %s, %s, %s, %d, %d, %d, %s, {%s}, {%s}}," % (
            now, float(scale), '"%s"' % kind if kind else "NULL", word(left), word(low), word(high), len(curve),
            len(runs), len(ref), points(curve),
            ", ".join("{%r, %r, %d, %s}" % (r["minutes"], float(r["needed"]), len(r["curve"]), points(r["curve"]))
                      for r in runs) or "{0, 0, 0, {{0, 0, 0}}}",
            ", ".join(map(repr, map(float, ref))) or "0"))
    print("};\n/* clang-format on */")


main()
