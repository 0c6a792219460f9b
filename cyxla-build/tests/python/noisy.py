"""Writes to standard output by every way there is."""

import os
import subprocess
import sys

print("noise of print")
os.write(1, b'{"version": 1, "noise": "of os.write"}\n')
subprocess.run([sys.executable, "-c", "print('noise of a subprocess')"], check=True)
sys.__stdout__.write("noise of sys.__stdout__\n")
print("\N{SNOWMAN} is no ASCII", file=sys.stderr)
READ = sys.stdin.read()


def silent(x):
    print("noise of the trace")
    return x
