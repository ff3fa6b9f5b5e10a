#!/usr/bin/env python3
"""Prints a table of what compare_steps.py measured and draws it.

usage: plot_steps.py RESULTS [--svg FILE]
"""

import argparse
import json

from compare_steps import CASES, merged

COLOURS = {
    "burn-mlir": "#2166ac",
    "pytorch eager": "#fdae61",
    "pytorch channels_last": "#f46d43",
    "pytorch compile": "#a50026",
    "burn-rs flex": "#7f7f7f",
}
NAMES = {
    "mlp-64": "MLP, batch 64",
    "mlp-1024": "MLP, batch 1024",
    "mnist-64": "MNIST net, batch 64",
    "mnist-256": "MNIST net, batch 256",
    "mnist-inference-256": "its evaluation, batch 256",
    "encoder-8": "encoder, batch 8",
}


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f}" if seconds < 0.01 else f"{seconds * 1e3:.1f}"


def table(results, threads):
    sides = [side for side in COLOURS if side in results["versions"]]
    peers = [side for side in sides if side.startswith("pytorch")]
    print(f"| step, ms, {threads} thread{'s' if threads > 1 else ''} | " + " | ".join(sides), end="")
    print(" | over the best of PyTorch | over Burn |" if "burn-rs flex" in sides else " | over the best of PyTorch |")
    print("|---|" + "---:|" * (len(sides) + 1 + ("burn-rs flex" in sides)))
    for case in CASES:
        sums = merged(results, case, threads)
        if not sums:
            continue
        ours = sums["burn-mlir"]
        cells = [f"{milliseconds(sums[s]['best'])} ({milliseconds(sums[s]['median'])})" if s in sums else "" for s in sides]
        best = min((sums[s]["best"] for s in peers if s in sums), default=None)
        cells.append(f"{best / ours['best']:.2f}" if best else "")
        if "burn-rs flex" in sides:
            cells.append(f"{sums['burn-rs flex']['best'] / ours['best']:.2f}" if "burn-rs flex" in sums else "")
        print(f"| {NAMES[case]} | " + " | ".join(cells) + " |")
    loads = [line["load"] for line in results["rounds"] if line["threads"] == threads]
    if loads:
        rounds = max(len(side["rounds"]) for case in CASES for side in merged(results, case, threads).values())
        print(f"\n{rounds} rounds, load of the machine {min(loads):.1f} to {max(loads):.1f}\n")


def gradients(results):
    """The cost of gradients: forward and backward over forward, and bytes saved in between."""
    for case in CASES:
        for line in results["rounds"]:
            if line["case"] == case and "gradient" in line:
                ratio = line["gradient"]["best"] / line["forward"]["best"]
                saved = f", {line['saved_bytes'] / 2**20:.1f} MiB saved" if "saved_bytes" in line else ""
                print(f"{case} {line['side']} {line['threads']}: gradient / forward {ratio:.2f}{saved}")


def draw(results, threads, path):
    """Bars of time over ours, a group for each case."""
    sides = [side for side in COLOURS if side in results["versions"]]
    left, width, bar, gap, top = 190, 520, 13, 16, 58
    rows = [(case, merged(results, case, threads)) for case in CASES]
    rows = [(case, sums) for case, sums in rows if sums]
    longest = max(sums[s]["best"] / sums["burn-mlir"]["best"] for _, sums in rows for s in sums)
    scale = width / longest
    height = top + sum(len(sums) * bar + gap for _, sums in rows) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 110} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{left + width + 110}" height="{height}" fill="white"/>',
        f'<text x="8" y="20" font-size="14">Time of a whole step over that of burn-mlir, {threads} threads '
        "(shorter is faster; ms at the bars)</text>",
    ]
    x = 8
    for side in sides:
        parts.append(f'<rect x="{x}" y="32" width="11" height="11" fill="{COLOURS[side]}"/>')
        parts.append(f'<text x="{x + 15}" y="42">{side}</text>')
        x += 40 + 7 * len(side)
    y = top
    for case, sums in rows:
        parts.append(f'<text x="{left - 8}" y="{y + len(sums) * bar / 2 + 4:.0f}" text-anchor="end">{NAMES[case]}</text>')
        for side in sides:
            if side not in sums:
                continue
            length = sums[side]["best"] / sums["burn-mlir"]["best"] * scale
            parts.append(
                f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar - 2}" fill="{COLOURS[side]}"/>'
                f'<text x="{left + length + 4:.1f}" y="{y + bar - 3}" font-size="10">'
                f"{milliseconds(sums[side]['best'])}</text>"
            )
            y += bar
        y += gap
    line = left + scale
    parts.append(f'<line x1="{line:.1f}" x2="{line:.1f}" y1="{top - 4}" y2="{height - 12}" stroke="black" stroke-width="0.5"/>')
    parts.append("</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--svg", help="draw to this file what was measured with the most threads")
    options = parser.parse_args()
    with open(options.results, encoding="utf-8") as file:
        results = json.load(file)
    threads = sorted({line["threads"] for line in results["rounds"]})
    print(results["processor"], *(f"{side} {version}" for side, version in results["versions"].items()), sep="; ")
    print()
    for count in threads:
        table(results, count)
    gradients(results)
    if options.svg:
        draw(results, threads[-1], options.svg)


if __name__ == "__main__":
    main()
