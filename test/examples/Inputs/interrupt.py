"""Interrupts the mnist example in the middle of an epoch and checks that resuming gives the uninterrupted result."""

import json
import os
import signal
import struct
import subprocess
import sys
import time

checkpoint = sys.argv[1]
common = ["mnist", "--batch-size", "8", "--quiet", "--epochs", "1", "--checkpoint", checkpoint]


def metadata(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(length))["__metadata__"]


# The plans are in the cache afterwards: the second run is then at work when the signal comes.
subprocess.run(common + ["--steps", "2"], check=True)
os.remove(checkpoint)
# On a busy machine the signal may come before training has begun, and ends the program as usual: wait longer then.
for seconds in (1, 2, 4, 8, 16):
    process = subprocess.Popen(common, stdout=subprocess.PIPE, text=True)
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=120)
    if process.returncode != -signal.SIGINT:
        break
assert process.returncode == 130, (process.returncode, output)
assert "interrupted" in output, output
step = int(metadata(checkpoint)["step"])
assert 0 < step < 1000, step

stopped = checkpoint + ".stopped"
os.rename(checkpoint, stopped)
limit = str(step + 3)
subprocess.run(common + ["--resume", stopped, "--steps", limit], check=True)
with open(checkpoint, "rb") as file:
    resumed = file.read()
subprocess.run(common + ["--steps", limit], check=True)
with open(checkpoint, "rb") as file:
    assert file.read() == resumed, "the resumed run differs"
