#!/usr/bin/env python3
"""Holds what the two libraries export and link.

libburn exports names of namespace burn and burn_* functions alone, and links neither LLVM nor MLIR;
libburn-compiler exports burn_compiler_get_api alone; they share no symbol.

usage: check-symbols.py BUILD
"""

import os
import re
import subprocess
import sys

build = sys.argv[1]
burn = os.path.join(build, "lib", "libburn.so")
compiler = os.path.join(build, "lib", "libburn-compiler.so")


for library in (burn, compiler):
    if not os.path.exists(library):
        sys.exit(f"{library} is missing")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def exported(library):
    return {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--defined-only", library).splitlines()}


def needed(library):
    return re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", library))


wrong = []
burnSymbols, compilerSymbols = exported(burn), exported(compiler)
OURS = re.compile(r"^(_ZT[ISVT]|_ZTh\w*?_|_ZTv\w*?_|_Z)?N[KRO]*4burn|^burn_\w+$")
wrong += [f"libburn exports {name}" for name in sorted(burnSymbols) if not OURS.match(name)]
wrong += [f"libburn exports burn::core's {name}" for name in sorted(burnSymbols) if "N4burn4core" in name and name.startswith(("_ZN4burn4core", "_ZNK4burn4core"))]
wrong += [f"libburn links {name}" for name in needed(burn) if "LLVM" in name or "MLIR" in name]
if compilerSymbols != {"burn_compiler_get_api"}:
    wrong.append(f"libburn-compiler exports {sorted(compilerSymbols)[:20]}")
wrong += [f"both libraries export {name}" for name in sorted(burnSymbols & compilerSymbols)]
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
