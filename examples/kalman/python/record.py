"""Writes the track: `python python/record.py > track.csv`.

A boat makes 5 m/s eastwards, on a sine of 60 m to each side and 120 s long. Its position is measured each second, with a
normally distributed error of 5 m along each axis.
"""

import math
import random

noise = random.Random(1960)
print("time (s),x (m),y (m)")
for second in range(121):
    x = 5 * second + noise.gauss(0, 5)
    y = 60 * math.sin(math.tau * second / 120) + noise.gauss(0, 5)
    print(f"{second},{x:.2f},{y:.2f}")
