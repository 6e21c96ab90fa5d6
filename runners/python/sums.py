"""What values add to a checksum, as the protocol has it. Sums are taken modulo 2³² at the end."""

import struct

NOTHING = object()  # what no document holds

_float = struct.Struct("f")


def number(v):
    """A float or double."""
    return int(v) + 1 if -2147483648 < v < 2147483648 else 1


def single(v):
    """A float, which Python keeps as a double."""
    return number(_float.unpack(_float.pack(v))[0])


def real(v):
    """A double in JSON. ProtoJSON has strings for what is not finite."""
    if type(v) is str:
        return 1
    return int(v) + 1 if -2147483648 < v < 2147483648 else 1


def real_single(v):
    """A float in JSON."""
    return 1 if type(v) is str else single(v)


def any_value(v):
    """Any JSON value."""
    kind = type(v)
    if kind is str:
        return len(v) + 1
    if kind is bool:
        return v + 1
    if kind is int or kind is float:
        return number(v)
    total = 1
    if kind is list:
        for e in v:
            total += any_value(e)
    elif kind is dict:
        for k, e in v.items():
            total += len(k) + 1 + any_value(e)
    return total
