"""Tells the versions of the libraries, in one line. It fails where one is missing, broken, or not the pinned one."""

import importlib
import importlib.metadata
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = {"protobuf": "google.protobuf.descriptor_pool"}  # where a module is not called as its library

with open(os.path.join(HERE, "requirements.txt"), encoding="utf-8") as f:
    pinned = dict(re.findall(r"^([\w-]+)==([\w.]+)", f.read(), re.MULTILINE))
for name, version in pinned.items():
    importlib.import_module(MODULES.get(name, name))
    if importlib.metadata.version(name) != version:
        sys.exit(f"{name} is {importlib.metadata.version(name)}; want {version}")
print(", ".join(f"{name} {version}" for name, version in pinned.items()))
