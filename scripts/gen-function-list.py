#!/usr/bin/env python3
"""Prints docs/functions.md: the functions on tensors, by the headers that declare them.

A function is a name that takes or gives tensors; overloads and a method of the same name count once.
"""

import pathlib
import re

HEADERS = pathlib.Path(__file__).resolve().parent.parent / "frontend" / "include" / "burn"
TENSORS = re.compile(r"Tensor|Extremum|Mean|Minimum|Result")
FUNCTION = re.compile(r"^(?:BURN_API|inline) (?P<type>[\w:<>]+) (?P<name>\w+)\(")
METHOD = re.compile(r"^  (?P<type>[\w:<>]+)(?: &| )(?P<name>\w+)\(")
# Methods about the handle, its data and its gradient rather than functions of its value.
HANDLE = {"Tensor", "is_same", "defined", "release", "base", "is_computed", "copy_to", "data", "to_string", "nbytes", "numel",
          "dim", "size", "shape", "sizes", "dtype", "item", "to_vector", "requires_grad", "requires_grad_", "is_leaf", "grad",
          "set_grad", "zero_grad", "backward", "realItem", "integerItem", "typedData"}


def title(text):
    """The first sentence of a header's description."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("///"):
            break
        lines.append(line[3:].strip())
    return " ".join(lines).split(". ")[0].rstrip(".")


def listed(header):
    """(name, doc) of each function of a header, in order; a comment counts for the functions up to the next one."""
    functions, doc = {}, ""
    in_doc = False
    for line in (HEADERS / header).read_text().splitlines():
        if line.startswith("///"):
            doc = (doc + " " if in_doc else "") + line[3:].strip()
            in_doc = True
            continue
        in_doc = False
        if not line.strip():
            doc = ""
        match = FUNCTION.match(line)
        if match and TENSORS.search(line) and not match["name"].startswith("operator"):
            functions.setdefault(match["name"], doc)
            doc = ""
    return functions


def methods():
    text = (HEADERS / "tensor.h").read_text()
    body = text[text.index("class BURN_API Tensor {"):text.index("static_assert(sizeof(Tensor)")]
    names = []
    for line in body.splitlines():
        match = METHOD.match(line)
        if match and match["name"] not in HANDLE and not match["name"].startswith("operator") and "Tensor" in match["type"] + line:
            names.append(match["name"])
    return list(dict.fromkeys(names))


def main():
    families = re.findall(r"#include <burn/(\w+\.h)>", (HEADERS / "ops.h").read_text())
    families += [name for name in ("control.h", "custom_op.h", "random.h") if (HEADERS / name).exists()]
    known, sections = set(), []
    own = methods()
    for header in families:
        functions = {name: doc for name, doc in listed(header).items() if name not in known}
        known |= set(functions)
        rows = "".join(f"| `{name}` | {'yes' if name in own else ''} | {doc.split('. ')[0].rstrip('.').replace('|', chr(92) + '|')} |\n"
                       for name, doc in sorted(functions.items()))
        if rows:
            sections.append(f"## {title((HEADERS / header).read_text())}\n\n`<burn/{header}>`, {len(functions)} functions\n\n"
                            f"| function | method | meaning |\n| --- | --- | --- |\n{rows}")
    alone = [name for name in own if name not in known]
    print(f"# Functions on tensors\n\n{len(known) + len(alone)} functions: {len(known)} free ones, of which "
          f"{len(known & set(own))} are methods of `burn::Tensor` too, and {len(alone)} methods. `make docs` writes this page "
          "from the headers.\n")
    print("\n".join(sections))
    print("## Methods of `burn::Tensor` alone\n")
    print(", ".join(f"`{name}`" for name in sorted(alone)) + ".")


main()
