#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: replay.py MLSCORE SHIM TESTDATA

Write logs to a folder as jobs do, in pieces that end within lines, and compare the results of mlscore watch with those
of mlscore score.  Each test runs with inotify, with --poll, and with an inotify that fails.  Tests wait for events,
never for a fixed time.  Print a line for each test: "ok NAME" or "FAIL NAME: why"."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MLSCORE, SHIM, TESTDATA = sys.argv[1:4]
TRIALS = [f"{TESTDATA}/slurm/250419104520_{i}.log" for i in range(1, 11)]
MODES = {"told": ([], {}), "looking": (["--poll"], {}),
         "refused": ([], {"LD_PRELOAD": SHIM, "FAULT": "inotify:*:EMFILE"})}
LIMIT = 120  # seconds after which a test fails
LIVE_ONLY = ("file", "stalled", "resumed", "finding", "score", "end")


class Watch:
    """A running mlscore watch, and the events that it has printed."""

    def __init__(self, folder, arguments=(), environment=None, paths=(".",)):
        command = [MLSCORE, "watch", "--format", "ndjson", "--interval", "0.1", *arguments, *paths]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
        self.lines, self.events = [], []

    def take(self):
        line = self.process.stdout.readline().decode()
        if not line:
            raise AssertionError("watch ended: " + self.process.stderr.read().decode())
        self.lines.append(line)
        self.events.append(json.loads(line))
        return self.events[-1]

    def wait(self, kind, count=1, message=None):
        """Wait until a number of events of one kind were printed."""
        def have():
            return sum(e["event"] == kind and (message is None or e["message"] == message) for e in self.events)
        while have() < count:
            self.take()

    def end(self):
        self.process.send_signal(signal.SIGINT)
        for line in self.process.stdout:
            self.lines.append(line.decode())
            self.events.append(json.loads(line))
        same("said", self.process.stderr.read(), b"")
        return self.process.wait()


def score_written(line):
    """Return the JSON text of the group in an event."""
    return line[line.index('"group":') + len('"group":'):].rstrip("\n")[:-1] + "\n"


def same_scores(watch, folder, paths=(".",)):
    """Check that the last score events are equal to the output of mlscore score."""
    done = subprocess.run([MLSCORE, "score", "--format", "ndjson", *paths], cwd=folder, capture_output=True, check=False)
    wanted = done.stdout.decode()
    lines = [line for line, event in zip(watch.lines, watch.events) if event["event"] == "score"]
    same("the scores", "".join(score_written(line) for line in lines[-wanted.count("\n"):]), wanted)


def lasting(events):
    return [{k: v for k, v in e.items() if k != "seen_ms"} for e in events if e["event"] not in LIVE_ONLY]


def pieces(text, seed, least=1, most=4000):
    torn = random.Random(seed)
    while text:
        size = torn.randint(least, most)
        yield text[:size]
        text = text[size:]


def append(path, text):
    with open(path, "ab", buffering=0) as file:
        file.write(text)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def grow(folder, texts, seed, most=4000):
    """Append pieces to several files in turn; the pieces may end within lines."""
    parts = {name: list(pieces(text, seed + i, most=most)) for i, (name, text) in enumerate(texts.items())}
    while any(parts.values()):
        for name, left in parts.items():
            if left:
                append(os.path.join(folder, name), left.pop(0))


def same(what, got, wanted):
    if got != wanted:
        at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), 0) if isinstance(got, str) else 0
        got, wanted = (str(x)[max(0, at - 100):at + 300] for x in (got, wanted))
        raise AssertionError(f"{what}: at {at}:\n{got}\nnot\n{wanted}")


def trials_and_output(folder, mode):
    """Test two trials that are written at once, and the output of the job, which contains both."""
    watch = Watch(folder, *MODES[mode])
    first, second = read(TRIALS[0]), read(TRIALS[1])
    grow(folder, {"1_1.log": first, "1_2.log": second, "slurm-117.out": first + second}, 7)
    watch.wait("stop", 2)
    same("exit status", watch.end(), 0)
    same_scores(watch, folder)
    same("stops", [e["event"] for e in watch.events].count("stop"), 2)


def ten_trials(folder, mode):
    """Test ten consecutive trials, of which one dies; then read the complete logs at once."""
    watch = Watch(folder, *MODES[mode])
    for number, path in enumerate(TRIALS):
        grow(folder, {os.path.basename(path): read(path)}, number, most=9000)
    watch.wait("stop", 10)
    same("exit status", watch.end(), 1)
    same_scores(watch, folder)
    whole = Watch(folder, *MODES[mode])
    whole.wait("stop", 10)
    whole.end()
    same("what is told", json.dumps(lasting(watch.events)), json.dumps(lasting(whole.events)))


def past(text, key):
    """Return a number of bytes of a log that ends within the line after a record."""
    return text.index(b"\n", text.index(b'"' + key + b'"')) + 20


def rotation(folder, mode):
    """Test a log that is renamed while it grows and replaced by a new one, and a log that is truncated and rewritten."""
    watch = Watch(folder, *MODES[mode])
    first, second, third = read(TRIALS[0]), read(TRIALS[1]), read(TRIALS[2])
    log = os.path.join(folder, "trial.log")
    there = past(first, b"run_start")
    append(log, first[:there])
    watch.wait("start", 1)
    os.rename(log, log + ".1")
    append(log, second[:700])
    append(log + ".1", first[there:])
    watch.wait("stop", 1)
    append(log, second[700:])
    watch.wait("stop", 2)
    other = os.path.join(folder, "other.log")
    fourth = read(TRIALS[3])
    append(other, fourth[: past(fourth, b"init_start")] + b"x" * 5000)
    watch.wait("init", 3)
    with open(other, "wb") as file:
        file.write(third[:500])
    watch.wait("file", 1, "truncated: reading from the beginning")
    append(other, third[500:])
    watch.wait("stop", 3)
    watch.end()
    same_scores(watch, folder)


def written_anew(folder, mode):
    """Test that runs of a truncated file do not count: watch ends when all runs of the rewritten file exist."""
    arguments, environment = MODES[mode]
    watch = Watch(folder, [*arguments, "--exit-on-end"], environment)
    other = read(TRIALS[8]).replace(b'"global_batch_size", "value": 9,', b'"global_batch_size", "value": 18,')
    for number, text in enumerate([other, *map(read, TRIALS[:8])]):
        append(os.path.join(folder, f"{number}.log"), text)
    watch.wait("stop", 9)
    path = os.path.join(folder, "0.log")
    for times, trial in enumerate(TRIALS[8:]):
        text = read(trial)
        with open(path, "wb") as file:
            file.write(text[:500])
        watch.wait("file", times + 1, "truncated: reading from the beginning")
        append(path, text[500:])
        watch.wait("stop", 10 + times)
        watch.wait("score", 1 + sum(e["event"] == "score" for e in watch.events))
    append(os.path.join(folder, "9.log"), read(TRIALS[8]))
    watch.wait("stop", 12)
    watch.wait("end", 1)
    same("said", watch.process.stderr.read(), b"")


def torn_end(folder, mode):
    """Test a last line without a line ending: it is read at the end, as by mlscore score."""
    text = read(TRIALS[0])
    end = text.index(b"\n", text.index(b'"run_stop"'))
    watch = Watch(folder, *MODES[mode])
    append(os.path.join(folder, "1.log"), text[:end])
    watch.wait("evaluation", 5)
    watch.end()
    same_scores(watch, folder)
    same("stops", [e["event"] for e in watch.events].count("stop"), 1)


def later_files(folder, mode):
    """Test a file that does not exist yet, and a folder that is created later."""
    os.mkdir(os.path.join(folder, "logs"))
    watch = Watch(folder, *MODES[mode], paths=("late.log", "logs"))
    os.makedirs(os.path.join(folder, "logs", "deep", "er"))
    append(os.path.join(folder, "logs", "deep", "er", "1.log"), read(TRIALS[1]))
    watch.wait("stop", 1)
    grow(folder, {"late.log": read(TRIALS[0])}, 3)
    watch.wait("stop", 2)
    watch.end()
    same_scores(watch, folder, ("late.log", "logs"))


def died(folder, mode):
    """Test runs without a run_stop: followed by the next trial, cancelled by Slurm, and silent but not ended."""
    watch = Watch(folder, *MODES[mode])
    text = read(TRIALS[0])
    half = text[: text.index(b"\n", len(text) // 2) + 1]
    append(os.path.join(folder, "a.log"), half + read(TRIALS[1]))
    watch.wait("stop", 1)
    other = read(TRIALS[2])
    append(os.path.join(folder, "b.log"), other[: past(other, b"run_start") - 20] +
           b"\nslurmstepd: error: *** STEP 117.3 ON node076 CANCELLED AT 2025-04-30T18:07:30 DUE TO TIME LIMIT ***\n")
    watch.wait("died", 2)
    watch.end()
    same("deaths", [e["message"] for e in watch.events if e["event"] == "died"],
         ["the next trial began", "the step was cancelled"])
    same("failures", sum(e["event"] == "failure" for e in watch.events) >= 1, True)
    same_scores(watch, folder)


def stalled(folder, mode):
    """Test an old file, which counts as stalled and then continues; initialization may be silent for longer."""
    text = read(TRIALS[0])
    begun, training = past(text, b"init_start") - 20, past(text, b"run_start") - 20
    old, fresh = os.path.join(folder, "old.log"), os.path.join(folder, "deep", "fresh.log")
    os.mkdir(os.path.dirname(fresh))
    append(old, text[:training])
    append(fresh, read(TRIALS[1])[:begun])
    now = time.time()
    os.utime(old, (now - 7200, now - 7200))
    os.utime(fresh, (now - 1200, now - 1200))
    watch = Watch(folder, *MODES[mode])
    watch.wait("stalled")
    append(old, text[training:])
    watch.wait("resumed")
    watch.wait("stop")
    watch.wait("score")
    watch.end()
    told = [(e["event"], os.path.basename(e["file"]), e["message"] and e["message"][:25]) for e in watch.events
            if e["event"] in ("stalled", "resumed", "died")]
    same("told", told, [("stalled", "old.log", "nothing written for 2:00:"), ("resumed", "old.log", None)])


def one_job(folder, mode):
    """Test a job that is given by its number: only files of the job in the folder of its output are read."""
    scontrol = os.path.join(folder, "scontrol")
    logs = os.path.join(folder, "logs of it")
    os.mkdir(logs)
    with open(scontrol, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nprintf '%s' \"$*\" >\"$0.asked\"\n"
                   f"echo 'JobId=117 JobName=x y JobState=COMPLETED WorkDir=/ StdErr={logs}/e StdOut={logs}/slurm-117.out Power='\n")
    os.chmod(scontrol, 0o755)
    arguments, environment = MODES[mode]
    append(os.path.join(logs, "1.log"), read(TRIALS[0]))
    append(os.path.join(logs, "2.log"), read(TRIALS[1]).replace(b":5.0 117 18", b":5.0 118 18"))
    watch = Watch(folder, [*arguments, "--exit-on-end"], {**environment, "MLSCORE_SCONTROL": scontrol}, ("117",))
    out, err = watch.process.communicate(timeout=60)
    watch.lines = out.decode().splitlines(True)
    watch.events = [json.loads(line) for line in watch.lines]
    same("said", err, b"")
    same("told of", {os.path.basename(e["file"]) for e in watch.events if e["file"] and e["event"] != "file"}, {"1.log"})
    same("asked", read(scontrol + ".asked"), b"show job -o 117")
    same_scores(watch, folder, (os.path.join(logs, "1.log"),))


def closed_pipe(folder, mode):
    """Test that watch ends without a message if the reader of its output has closed the pipe."""
    watch = Watch(folder, *MODES[mode])
    text = read(TRIALS[0])
    there = past(text, b"run_start")
    append(os.path.join(folder, "1.log"), text[:there])
    watch.wait("start", 1)
    watch.process.stdout.close()
    append(os.path.join(folder, "1.log"), text[there:])
    same("exit status", watch.process.wait(timeout=60), 0)
    same("said", watch.process.stderr.read(), b"")


def too_long(_number, _frame):
    raise TimeoutError("what is waited for does not come")


def main():
    signal.signal(signal.SIGALRM, too_long)
    tests = [trials_and_output, ten_trials, rotation, written_anew, torn_end, later_files, died, stalled, one_job,
             closed_pipe]
    for test in tests:
        for mode in MODES:
            folder = tempfile.mkdtemp()
            signal.alarm(LIMIT)
            name = f"{test.__name__} ({mode})"
            try:
                test(folder, mode)
                print("ok", name, flush=True)
            except Exception as why:  # pylint: disable=broad-except
                print(f"FAIL {name}: {type(why).__name__}: {why}".replace("\n", " | "), flush=True)
            finally:
                signal.alarm(0)
                shutil.rmtree(folder)


main()
