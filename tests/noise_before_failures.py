#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: noise_before_failures.py BINARY TABLE.jsonl

Put each harmless text of a table before each failure message of the table, and print the combinations for which
`mlscore diagnose` reports another cause than for the failure message alone. Exit with 0 if there are none."""
import json
import os
import subprocess
import sys
import tempfile


def verdict(binary, folder, text):
    with open(os.path.join(folder, "job.out"), "w", encoding="utf-8") as file:
        file.write(text)
    run = subprocess.run([binary, "diagnose", "--format=ndjson", folder], capture_output=True, timeout=60, check=False)
    failures = json.loads(run.stdout.splitlines()[0])["failures"]
    first = failures[0] if failures else None
    return run.returncode, first and (first["signature"], first["class"], first["root_known"])


def main():
    binary, table = sys.argv[1:]
    with open(table, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    noises = [row for row in rows if row["class"] == "success"]
    failures = [row for row in rows if row["class"] != "success"]
    changed = 0
    with tempfile.TemporaryDirectory() as folder:
        for failure in failures:
            alone = verdict(binary, folder, failure["text"])
            for noise in noises:
                behind = verdict(binary, folder, noise["text"].rstrip("\n") + "\n" + failure["text"])
                if behind != alone:
                    changed += 1
                    print(f"{failure['case']} behind {noise['case']}: {behind}, alone {alone}")
    print(f"{len(failures)} failures behind {len(noises)} noises: {changed} verdicts changed")
    return changed > 0 or not failures or not noises


sys.exit(main())
