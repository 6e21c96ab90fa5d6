"""Holds codecs and times them. It speaks wirecost's runner protocol: requests on standard input, replies on standard output."""

import argparse
import json
import os
import sys

from server import Server, Skipped

MAX_LINE = 16 << 20  # bytes of a request

# Documents may be nested 1000 levels deep. CPython's own limit of 1000 counts the runner's calls as well.
RECURSION = 4000

# The json module is under test as well. What is used of it here are objects of our own, so nothing is shared with the codec.
READER = json.JSONDecoder()
WRITER = json.JSONEncoder(separators=(",", ":"))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--memory", type=int, default=0, help="bytes that the process may take; 0: any")
    memory = options.parse_args().memory
    sys.setrecursionlimit(RECURSION)
    with os.fdopen(os.dup(1), "wb") as replies:
        os.dup2(2, 1)  # what a library prints is no reply
        server = Server(memory)
        while line := sys.stdin.buffer.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                sys.exit("runner: a request is longer than 16 MB")
            reply = answer(server, line)
            replies.write(WRITER.encode(reply).encode() + b"\n")
            replies.flush()
            if server.stopped:
                return


def answer(server, line):
    """The reply to one request. Whatever goes wrong is an error of that request only."""
    try:
        request = READER.decode(line.decode())
        number, name = request["id"], request["request"]
    except (ValueError, TypeError, LookupError, RecursionError) as e:
        return {"id": 0, "error": f"not a request: {explain(e)}"}
    handle = server.requests.get(name) if isinstance(name, str) else None
    if handle is None:
        return {"id": number, "error": f"unknown request {name!r}"}
    try:
        reply = handle(request)
        server.fits()
        return {"id": number, **reply}
    except Skipped as e:
        return {"id": number, "skipped": str(e)}
    except Exception as e:
        return {"id": number, "error": explain(e)}


def explain(e):
    return f"{type(e).__name__}: {e}"[:1000]


if __name__ == "__main__":
    main()
