import sys

sys.exit("usage: exits_on_import FILE")
