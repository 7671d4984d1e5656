# SPDX-License-Identifier: Apache-2.0
"""Derivatives along many vectors at once, as torch.autograd.functional asks for with vectorize=True.

Its tensors stand for a whole batch and hold no values; torch takes them apart only for operators of
its dispatcher with one tensor in and one out.  So a derivative becomes such an operator, on all that
it takes and all that it gives as one vector each.
"""
from __future__ import annotations

from itertools import count
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch import Tensor

from ._tensors import sliced

Tensors = Tuple[Optional[Tensor], ...]
_library: Any = getattr(torch.library, "Library")("zermelo_slices", "DEF")
_library.define("linear(Tensor vector, int which) -> Tensor")
_linear: Dict[int, Callable[[Tensor], Tensor]] = {}
_numbers = count()
_library.impl("linear", lambda vector, which: _linear[which](vector), "CPU")


def pull(act: Any, inputs: Tensors, cotangents: Tensors) -> Tensors:
    """act.pull, also along cotangents that stand for many."""
    return _each(lambda c: act.pull(inputs, c), cotangents) if sliced() else act.pull(inputs, cotangents)


def push(act: Any, inputs: Tensors, tangents: Tensors) -> Tensors:
    """act.push, also along tangents that stand for many."""
    return _each(lambda d: act.push(inputs, d), tangents) if sliced() else act.push(inputs, tangents)


def _each(linear: Callable[[Tensors], Tensors], vectors: Tensors) -> Tensors:
    """linear of one vector after the other."""
    given = tuple(None if v is None else torch.zeros(v.shape, dtype=v.dtype) for v in vectors)
    wanted = linear(given)  # for its shapes
    number = next(_numbers)
    _linear[number] = lambda vector: _join(linear(_split(vector, given)))
    try:
        out: Tensor = getattr(torch, "ops").zermelo_slices.linear(_join(vectors), number)
    finally:
        del _linear[number]
    return _split(out, wanted)


def _join(parts: Tensors) -> Tensor:
    flat: List[Tensor] = [p.reshape(-1).to(torch.float64) for p in parts if p is not None]
    joined: Tensor = torch.cat(flat)
    return joined


def _split(vector: Tensor, like: Tensors) -> Tensors:
    out: List[Optional[Tensor]] = []
    begin = 0
    for t in like:
        if t is None:
            out.append(None)
            continue
        out.append(vector[begin:begin + t.numel()].reshape(t.shape).to(t.dtype))
        begin += t.numel()
    return tuple(out)
