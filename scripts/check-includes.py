#!/usr/bin/env python3
"""Holds the arrows between the folders by their #include lines.

    dialects <- passes <- tools        runtime <- frontend <- examples, tools

dialects and passes include of runtime nothing but runtime/Core and the plain headers that both
libraries share; runtime and frontend include no MLIR or LLVM header; only tools/Registration and
the tools that link the passes see both sides.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')

# Public headers without any link dependency, which the compiler may see.
SHARED = ("burn/dtype.h", "burn/shape.h", "burn/error_code.h", "burn/abi.h", "burn/compiler_api.h",
          "burn/compiler/evaluation.h", "burn/export.h")

MLIR = ("mlir/", "mlir-c/", "llvm/", "llvm-c/", "lld/", "clang/")
COMPILER = ("dialects/", "passes/")


def below(folder, header):
    return header.startswith(folder + "/")


def allowed(path, header):
    """Whether the file may include the header; None for headers that are no concern of ours."""
    top = path.split("/")[0]
    runtime = header.startswith("runtime/") or header.startswith("burn/")
    core = header.startswith("runtime/Core/") or header in SHARED
    compiler = header.startswith(COMPILER)
    mlir = header.startswith(MLIR)
    others = header.startswith(("tools/", "examples/", "test/", "benchmarks/"))
    if path.startswith("runtime/Core/"):
        return not (mlir or compiler or others or header.startswith("frontend/") or (runtime and not core))
    if top == "runtime":
        # The frontend's public headers share the burn/ prefix; which of them exist says the disk.
        inFrontend = header.startswith("burn/") and os.path.exists(os.path.join(ROOT, "frontend/include", header))
        return not (mlir or compiler or others or header.startswith("frontend/") or inFrontend)
    if top == "frontend":
        return not (mlir or compiler or others)
    if top == "dialects":
        return not (header.startswith(("passes/", "frontend/")) or others or (runtime and not core))
    if top == "passes":
        return not (header.startswith("frontend/") or others or (runtime and not core))
    if top == "examples":
        own = header.startswith(os.path.dirname(path) + "/")
        return own or not (mlir or compiler or others)
    return True


def public(path):
    return "/include/burn/" in path


def main():
    wrong = []
    for top in ("dialects", "passes", "runtime", "frontend", "examples"):
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            for name in sorted(files):
                if not name.endswith((".h", ".cpp", ".c", ".inc")):
                    continue
                file = os.path.join(folder, name)
                path = os.path.relpath(file, ROOT)
                with open(file, encoding="utf-8") as source:
                    for number, line in enumerate(source, 1):
                        match = INCLUDE.match(line)
                        if not match:
                            continue
                        header = match.group(2)
                        if not allowed(path, header):
                            wrong.append(f"{path}:{number}: {top} may not include {header}")
                        # What is installed must find all it includes.
                        if public(path) and header.startswith(("runtime/", "frontend/", "fmt/", "nlohmann/", "xxhash", "zlib")):
                            wrong.append(f"{path}:{number}: a public header may not include {header}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
