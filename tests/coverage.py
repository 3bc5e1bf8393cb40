#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# usage: coverage.py BUILD [LINES BRANCHES [FILE...]]
# After tests with COVERAGE=1, print the coverage of lines and branches by module and in total. Exit with 1 if it is
# below LINES or BRANCHES percent. With FILEs, print their lines without coverage and with branches not taken.
import collections
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def gcov(notes):
    """Return the output of gcov for an object, which is empty if no code of the object was run."""
    command = ["gcov", "--json-format", "--stdout", "--branch-probabilities", notes]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def objects(build):
    """Return the objects of the program and the library, and those of log/ without SIMD, but not those of tests."""
    for folder, folders, names in os.walk(build):
        folders[:] = [name for name in folders if name not in ("unit", "replay", "fault", "bench", "round")]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".gcno"))


def merged(reports):
    """Return for each file, line and number of branches how often the line and each branch were executed."""
    files = collections.defaultdict(dict)
    for report in reports:
        for file in report["files"]:
            name = file["file"]
            if not name.startswith("src/") or name.startswith("src/data/"):
                continue
            for line in file["lines"]:
                counts = [branch["count"] for branch in line["branches"]]
                known = files[name].setdefault(line["line_number"], [0, {}])
                known[0] = max(known[0], line["count"])
                before = known[1].get(len(counts), [0] * len(counts))
                known[1][len(counts)] = [max(pair) for pair in zip(before, counts)]
    return files


def branches(line):
    return [count for counts in line[1].values() for count in counts]


def share(part, whole):
    return 100 * part / whole if whole else 100


def row(name, lines):
    taken = [count > 0 for line in lines for count in branches(line)]
    reached = [line[0] > 0 for line in lines]
    percent = share(sum(reached), len(reached)), share(sum(taken), len(taken))
    print("%6.1f %% of %5d lines  %6.1f %% of %5d branches  %s" % (percent[0], len(reached), percent[1], len(taken), name))
    return percent


def main():
    build, limits, wanted = sys.argv[1], [float(limit) for limit in sys.argv[2:4]], sys.argv[4:]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        files = merged(pool.map(gcov, sorted(objects(build))))
    for name in wanted:
        for number, line in sorted(files.get(name, {}).items()):
            if line[0] == 0:
                print("%s:%d: not reached" % (name, number))
            elif 0 in branches(line):
                print("%s:%d: %d of %d branches not taken" % (name, number, branches(line).count(0), len(branches(line))))
    modules = collections.defaultdict(list)
    for name, lines in files.items():
        modules[name.split("/")[1]] += lines.values()
    for module in sorted(modules):
        row("src/" + module, modules[module])
    percent = row("all together", [line for module in modules.values() for line in module])
    sys.exit(any(reached < limit for reached, limit in zip(percent, limits)))


main()
