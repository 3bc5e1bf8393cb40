#!/usr/bin/env python3
"""usage: members.py MODULE...
Print each member of a struct that only modules above the module of the struct use.
The MODULEs are given from the top down, as run_house.sh reads them from CONTRIBUTING.md.

In C, the expression `x.name` does not show the type of x, so only member names that a single struct has are examined.
If such a member is assigned in a module above, and neither the module of the struct nor a module below mentions it,
the member should be moved to the module above."""
import collections
import glob
import re
import sys

RANK = {name: place for place, name in enumerate(sys.argv[1:])}


def main():
    text = collections.defaultdict(str)
    owners = collections.defaultdict(list)
    for path in sorted(glob.glob("src/**/*.[ch]", recursive=True)):
        code = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.S)
        module = path.split("/")[1]
        text[module] += code
        for body in re.findall(r"^(?:typedef )?(?:struct|union)(?: \w+)? \{(.*?)^\}", code, re.S | re.M):
            for name in re.findall(r"(\w+)(?:\[[^]]*\])?(?: : \d+)?\s*[,;]|\(\*(\w+)\)\(", body):
                owners[name[0] or name[1]].append((path, module))
    for name, places in sorted(owners.items()):
        if len(places) != 1 or places[0][0].endswith(".c"):
            continue
        path, module = places[0]
        if module == "base":  # containers, whose contents belong to the module that uses them
            continue
        # A member may also be an argument of a macro: a row of a table of members.
        mention = re.compile(r"(?:\.|->)%s\b|\b[A-Z_]{2,}\([^()]*\b%s\b" % (name, name))
        assign = re.compile(r"[\w\])](?:\.|->)%s = " % name)
        if any(mention.search(text[other]) for other in text if RANK[other] >= RANK[module]):
            continue
        for other in text:
            if RANK[other] < RANK[module] and assign.search(text[other]):
                print("%s: %s is filled in by %s/" % (path, name, other))


main()
