#!/usr/bin/env python3
"""Runs `burn-bench steps` and its peers as alternating processes and writes what they took.

usage: compare_steps.py --out FILE [--bench build/bin/burn-bench] [--python PYTHON] [--burn-rs PROGRAM]
                        [--threads 1,2] [--rounds N] [--filter TEXT] [--prefix COMMAND]

Without --python (one that has benchmarks/pytorch/requirements.txt) or --burn-rs (benchmarks/burn-rs, built) the peer is
left out. Each process runs one library with one number of threads, since thread pools that spin disturb each other. The
first losses of all must agree to 1e-4. A second run with the same FILE adds rounds to it: best values are the best of
all rounds, medians the median of the rounds' medians. `benchmarks/plot_steps.py FILE` makes a table and a plot of it.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASES = ["mlp-64", "mlp-1024", "mnist-64", "mnist-256", "mnist-inference-256", "encoder-8"]
TOLERANCE = 1e-4


def sides(options):
    """Name and command of each side."""
    yield "burn-mlir", [options.bench, "steps"]
    if options.python:
        script = os.path.join(ROOT, "benchmarks", "pytorch", "steps.py")
        for mode in ("eager", "channels_last", "compile"):
            yield f"pytorch {mode}", [options.python, script, "--mode", mode]
    if options.burn_rs:
        yield "burn-rs flex", [options.burn_rs]


def run(command, case, threads, folder, extra):
    path = os.path.join(folder, "report.json")
    environment = dict(os.environ)
    for variable in ("BURN_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
        environment[variable] = str(threads)
    command = [*command, "--filter", case, "--json", path, *extra]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def check(case, side, losses, expected):
    for loss, right in zip(losses, expected):
        if abs(loss - right) > TOLERANCE * max(1, abs(right)):
            sys.exit(f"{case}: {side} computes something else: losses {losses}, ours {expected}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="results, made or added to")
    parser.add_argument("--bench", default=os.path.join(ROOT, "build", "bin", "burn-bench"))
    parser.add_argument("--python", help="a Python with PyTorch")
    parser.add_argument("--burn-rs", help="the program of benchmarks/burn-rs")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--filter", default="", help="cases whose name holds this text alone")
    parser.add_argument("--prefix", default="", help="put before each command, such as 'chrt -f 1' on a busy machine")
    options = parser.parse_args()

    results = {"processor": "", "versions": {}, "rounds": []}
    if os.path.exists(options.out):
        with open(options.out, encoding="utf-8") as file:
            results = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            for threads in map(int, options.threads.split(",")):
                for case in (name for name in CASES if options.filter in name):
                    for side, command in sides(options):
                        wants_losses = side.startswith("pytorch") and number == 0
                        report = run(
                            [*shlex.split(options.prefix), *command],
                            case,
                            threads,
                            folder,
                            ["--losses"] if wants_losses else [],
                        )
                        results["processor"] = report["processor"]
                        results["versions"][side] = report["version"]
                        entry = report["steps"]["cases"][case]
                        losses = entry.pop("losses", None)
                        if side == "burn-mlir":
                            expected = losses
                        elif losses:
                            check(case, side, losses, expected)
                        line = {"case": case, "side": side, "threads": threads, "load": os.getloadavg()[0], **entry}
                        results["rounds"].append(line)
                    with open(options.out, "w", encoding="utf-8") as file:
                        json.dump(results, file, indent=1)
                    print_case(results, case, threads)


def merged(results, case, threads):
    """Best, median and the greatest spread of each side over the rounds, in seconds."""
    lines = {}
    for line in results["rounds"]:
        if line["case"] == case and line["threads"] == threads:
            lines.setdefault(line["side"], []).append(line)
    return {
        side: {
            "best": min(line["step"]["best"] for line in rounds),
            "median": statistics.median(line["step"]["median"] for line in rounds),
            "rounds": rounds,
        }
        for side, rounds in lines.items()
    }


def print_case(results, case, threads):
    sums = merged(results, case, threads)
    ours = sums["burn-mlir"]["best"]
    parts = [f"{side} {entry['best'] * 1e3:.2f} ms ({entry['best'] / ours:.2f})" for side, entry in sums.items()]
    print(f"{case}, {threads} threads: " + ", ".join(parts), flush=True)


if __name__ == "__main__":
    main()
