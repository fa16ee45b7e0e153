"""The values that each kind of row of a group may have, if no row has a value that is excluded for it.

T. Li, N. Li: Injector, 2008, definition 1. A value is valid for a row if some assignment of the group's values to its
rows gives it to that row. Rows for which the same values are excluded are of one kind; ``held[k * width + v]`` says how
many rows of kind k hold value v. The rows' own values are an assignment, unless one is excluded for its row; then one
is looked for by moving rows along chains of values (a maximum flow). From any assignment, a row can move from its value
v to w if somebody at w can move on, and so forth, until v is filled again: if w leads back to v. That is, v and w lie
in one strongly connected component of the values, where v leads to w if somebody who holds v may have w.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int64, UInt8
from shoal.kernels.compiling import I8_OUT, INT, U1, U1_OUT, kernel, types


@kernel(types.void, I8_OUT, INT, INT, I8_OUT, I8_OUT)
def _shift(held: Int64, width: int, value: int, mover: Int64, since: Int64) -> None:
    """Move as many rows as all steps of a closed chain of values allow."""
    rows = np.int64(2**62)
    at = value
    while True:
        rows = min(rows, held[mover[at] * width + since[at]])
        at = since[at]
        if at == value:
            break
    while True:
        held[mover[at] * width + since[at]] -= rows
        held[mover[at] * width + at] += rows
        at = since[at]
        if at == value:
            break


@kernel(types.boolean, I8_OUT, U1, INT, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT)
def _move_on(
    held: Int64,
    excluded: UInt8,
    n_kinds: int,
    width: int,
    kind: int,
    value: int,
    mover: Int64,
    since: Int64,
    queue: Int64,
) -> bool:
    """Move rows of a kind off a value that is excluded for it, as many as the first chain allows; false if none.

    The last three are room for each value: who moves to it, from where, and the values that were reached.
    """
    for v in range(width):
        since[v] = -1
    queue[0] = value
    done, reached = 0, 1
    # The rows of this kind come to any value first; who holds one that was reached goes on, until somebody can come to
    # where the chain began.
    while done < reached:
        at = queue[done]
        done += 1
        for k in range(n_kinds):
            if held[k * width + at] == 0 or (at == value and done == 1 and k != kind):
                continue
            for w in range(width):
                if since[w] < 0 and excluded[k * width + w] == 0 and w != at:
                    since[w] = at
                    mover[w] = k
                    if w == value:
                        _shift(held, width, value, mover, since)
                        return True
                    queue[reached] = w
                    reached += 1
    return False


@kernel(types.void, I8_OUT, U1, INT, INT, I8_OUT)
def _components(held: Int64, excluded: UInt8, n_kinds: int, width: int, component: Int64) -> None:
    """Number the strongly connected components of the values."""
    leads = np.zeros(width * width, np.uint8)
    for k in range(n_kinds):
        for v in range(width):
            if held[k * width + v] > 0:
                for w in range(width):
                    if excluded[k * width + w] == 0:
                        leads[v * width + w] = 1
    queue = np.empty(width, np.int64)
    seen = np.empty(2 * width, np.uint8)
    for v in range(width):
        component[v] = -1
    for v in range(width):
        if component[v] >= 0:
            continue
        for at in range(2 * width):
            seen[at] = 0
        for way in range(2):  # forward, then backward
            queue[0] = v
            seen[way * width + v] = 1
            done, reached = 0, 1
            while done < reached:
                at = queue[done]
                done += 1
                for w in range(width):
                    arc = leads[at * width + w] if way == 0 else leads[w * width + at]
                    if arc > 0 and seen[way * width + w] == 0:
                        seen[way * width + w] = 1
                        queue[reached] = w
                        reached += 1
        for w in range(width):
            if seen[w] > 0 and seen[width + w] > 0:
                component[w] = v


@kernel(U1_OUT, I8_OUT, U1, INT, INT)
def valid_values(held: Int64, excluded: UInt8, n_kinds: int, width: int) -> UInt8:
    """Whether each value (of ``width``) is valid for each kind of row; none is if there is no assignment.

    ``held`` is changed to an assignment that is allowed, if it is none.
    """
    valid = np.zeros(n_kinds * width, np.uint8)
    mover = np.empty(width, np.int64)
    since = np.empty(width, np.int64)
    queue = np.empty(width + 1, np.int64)
    for k in range(n_kinds):
        for v in range(width):
            while excluded[k * width + v] > 0 and held[k * width + v] > 0:
                if not _move_on(held, excluded, n_kinds, width, k, v, mover, since, queue):
                    return valid
    component = since
    _components(held, excluded, n_kinds, width, component)
    for k in range(n_kinds):
        for v in range(width):
            if held[k * width + v] > 0:
                for w in range(width):
                    if excluded[k * width + w] == 0 and component[w] == component[v]:
                        valid[k * width + w] = 1
    return valid
