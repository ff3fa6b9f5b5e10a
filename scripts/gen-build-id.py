#!/usr/bin/env python3
"""Writes the C++ file that holds the build id of the compiler.

The id is a digest of the named files (paths relative to the root, and contents) and of the remaining
arguments (versions, compiler, flags). The output is touched only where the id has changed.
"""

import argparse
import hashlib
import os

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--root", required=True, help="folder that the paths are relative to")
parser.add_argument("--files", required=True, help="file with one path a line")
parser.add_argument("--output", required=True, help="C++ file to write")
parser.add_argument("facts", nargs="*", help="versions and flags")
arguments = parser.parse_args()

digest = hashlib.sha256()


def add(data):
    digest.update(len(data).to_bytes(8, "little"))
    digest.update(data)


for fact in arguments.facts:
    add(fact.encode())
with open(arguments.files, encoding="utf-8") as listing:
    paths = sorted(line.strip() for line in listing if line.strip())
for path in paths:
    if not os.path.exists(path):
        continue
    add(os.path.relpath(path, arguments.root).encode())
    with open(path, "rb") as source:
        add(source.read())

text = f"""#include "runtime/Core/BuildId.h"

const char *burn::core::compilerBuildId() {{ return "{digest.hexdigest()[:32]}"; }}
"""
if os.path.exists(arguments.output):
    with open(arguments.output, encoding="utf-8") as old:
        if old.read() == text:
            raise SystemExit
with open(arguments.output, "w", encoding="utf-8") as new:
    new.write(text)
