#!/usr/bin/env python3
"""Prints docs/functions.md: the functions on tensors, by the headers that declare them.

A function is a name that takes or gives tensors; overloads and a method of the same name count once. Its meaning is the
comment above it or behind it and, of overloads, the comments of those.
"""

import pathlib
import re

HEADERS = pathlib.Path(__file__).resolve().parent.parent / "frontend" / "include" / "burn"
TENSORS = re.compile(r"Tensor|Operand|Extremum|Mean|Minimum|Result")
FUNCTION = re.compile(r"^(?:BURN_API|inline|template <typename T>) (?P<type>[\w:<>]+) (?P<name>\w+)\(")
METHOD = re.compile(r"^  (?P<type>[\w:<>]+)(?: &| )(?P<name>\w+)\(")
# Methods about the handle, its data and its gradient rather than functions of its value.
HANDLE = {"Tensor", "is_same", "defined", "release", "base", "is_computed", "copy_to", "data", "to_string", "nbytes", "numel",
          "dim", "size", "shape", "sizes", "dtype", "device", "item", "to_vector", "requires_grad", "requires_grad_", "is_leaf", "grad",
          "set_grad", "zero_grad", "backward", "realItem", "integerItem", "typedData"}


def description(header):
    """The comment at the top of a header: its title, which is the first sentence, and the rest."""
    text = (HEADERS / header).read_text()
    lines = []
    for line in text.splitlines():
        if not line.startswith("///"):
            break
        lines.append(line[3:].strip())
    title, _, rest = "\n".join(lines).replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n\n").partition(". ")
    return title.rstrip("."), rest.strip()


def listed(header):
    """{name: [comments]} of the functions of a header, in order."""
    functions, doc, comments = {}, [], None
    for line in (HEADERS / header).read_text().splitlines():
        if line.startswith("///"):
            doc.append(line[3:].strip())
            continue
        match = FUNCTION.match(line)
        if match:
            is_listed = TENSORS.search(line) and not match["name"].startswith("operator")
            comments = functions.setdefault(match["name"], []) if is_listed else None
        if comments is not None:
            comments += [" ".join(doc)] if match and doc else []
            comments += [line.partition("///<")[2].strip()] if "///<" in line else []
        doc = []
        if not line.startswith(" ") and not match or line.partition(" ///<")[0].endswith((";", "{")):
            comments = None
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


def rows(functions, own):
    """A row of the table each: functions without a comment that differ from the one before them in the number of
    dimensions alone (conv1d, conv2d, conv3d) share its row."""
    result, last = [], None
    for name, comments in functions.items():
        family = re.sub(r"\dd", "", name)
        names = f"`{name}`" + (" (method)" if name in own else "")
        if not comments and family == last:
            result[-1][0] += ", " + names
        else:
            result.append([names, " ".join(text.rstrip(".") + "." for text in comments).replace("|", "\\|")])
        last = family
    return "".join(f"| {names} | {meaning} |\n" for names, meaning in result)


def main():
    families = re.findall(r"#include <burn/(\w+\.h)>", (HEADERS / "ops.h").read_text())
    families += [name for name in ("control.h", "custom_op.h", "random.h") if (HEADERS / name).exists()]
    known, sections = set(), []
    own = methods()
    for header in families:
        functions = {name: comments for name, comments in listed(header).items() if name not in known}
        known |= set(functions)
        if not functions:
            continue
        title, rest = description(header)
        sections.append(f"## {title}\n\n`<burn/{header}>`, {len(functions)} functions.{' ' + rest if rest else ''}\n\n"
                        f"| function | meaning |\n| --- | --- |\n{rows(functions, own)}")
    alone = [name for name in own if name not in known]
    print(f"""# Functions on tensors

{len(known) + len(alone)} functions: {len(known)} free ones, of which {len(known & set(own))} are methods of `burn::Tensor` too, and {len(alone)} methods. Those that
PyTorch has are named as there and mean the same, where nothing else is said. Tensors are values: a view shares no memory
that could be seen to change, and a function named with a trailing underscore rebinds its handle alone. Types promote as in
PyTorch, except that tensors of rank 0 get no special treatment and f16 with bf16 gives f32. Errors are `burn::Error`, with
the shapes or types at fault and the caller's line. The headers have the arguments; `make docs` writes this page from them.
""")
    print("\n".join(sections))
    print("## Methods of `burn::Tensor` alone\n")
    print(", ".join(f"`{name}`" for name in sorted(alone)) + ".")


main()
