"""Never comes to an end."""
import time


def fn(x):
    return x


def example_args():
    while True:
        time.sleep(1)
