"""Imports each codec, and gives up those that cannot live with the schema: the line that says so tells why."""

import sys

from harness import load

for name in sys.argv[1].split(","):
    try:
        load(name)
    except Exception as e:
        reason = " ".join(f"{type(e).__name__}: {e}".split())
        print(f"wirecost:drop {name} {reason[:300]}")
