"""Interrupts the mnist example in the middle of an epoch and checks that resuming gives the uninterrupted result.

usage: interrupt.py CHECKPOINT on|off: with the kernel cache, or with compilation in the process that is interrupted.
"""

import json
import os
import signal
import struct
import subprocess
import sys
import time

checkpoint, cache = sys.argv[1:]
common = ["mnist", "--batch-size", "8", "--quiet", "--epochs", "1", "--checkpoint", checkpoint]


def metadata(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(length))["__metadata__"]


# Fills the cache for the runs below.
subprocess.run(common + ["--steps", "2"], check=True)

# On a busy machine the signal may come before training has begun, and ends the program as usual, or while the first
# step is compiled, and ends it after that: wait longer then.
environment = dict(os.environ, BURN_CACHE="off") if cache == "off" else None
for seconds in (1, 2, 4, 8, 16, 32, 64):
    if os.path.exists(checkpoint):
        os.remove(checkpoint)
    process = subprocess.Popen(common, stdout=subprocess.PIPE, text=True, env=environment)
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=300)
    if process.returncode == -signal.SIGINT:
        continue
    assert process.returncode == 130, (process.returncode, output)
    assert "interrupted" in output, output
    step = int(metadata(checkpoint)["step"])
    if step > 1:
        break
assert 1 < step < 1000, step

stopped = checkpoint + ".stopped"
os.rename(checkpoint, stopped)
limit = str(step + 3)
subprocess.run(common + ["--resume", stopped, "--steps", limit], check=True)
with open(checkpoint, "rb") as file:
    resumed = file.read()
subprocess.run(common + ["--steps", limit], check=True)
with open(checkpoint, "rb") as file:
    assert file.read() == resumed, "the resumed run differs"
