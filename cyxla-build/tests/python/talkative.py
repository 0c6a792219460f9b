"""Prints more than a pipe holds, and leaves threads and a process behind."""

import subprocess
import sys
import threading
import time

sys.stderr.write("a line of some length that is printed again and again\n" * 20_000)
threading.Thread(target=time.sleep, args=(3600,), daemon=False).start()
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"])


def identity(x):
    return x
