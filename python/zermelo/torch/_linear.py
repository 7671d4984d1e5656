# SPDX-License-Identifier: Apache-2.0
"""A function of numpy arrays with both of its derivatives, as a function of torch.

Torch asks in many ways: reverse mode, forward mode, one of the other (the derivative of J'c with
respect to c is J), and through vmap.  All of them come down to three acts of an `Act`, each a
linear map at a place or the value itself.
"""
from __future__ import annotations

from typing import Any, List, NoReturn, Optional, Sequence, Tuple

import torch
from torch import Tensor
from torch.autograd import Function

from ._slices import pull, push
from ._tensors import MODERN, is_plain

Tensors = Tuple[Optional[Tensor], ...]


class Act:
    """What is computed.  `value` may remember what its derivatives need; at other places they work
    it out again."""

    inputs: int
    outputs: int
    places: Optional[Tensors] = None
    """The inputs of the last value, where it is remembered."""
    keeps_output = False
    """Torch shall notice if somebody writes to the output before the derivative."""

    def value(self, *inputs: Any) -> Tensors:
        raise NotImplementedError

    def pull(self, inputs: Tensors, cotangents: Tensors) -> Tensors:
        """J'c: one for each input, None where it is none."""
        raise NotImplementedError

    def push(self, inputs: Tensors, tangents: Tensors) -> Tensors:
        """J d: one for each output.  None among tangents is 0."""
        raise NotImplementedError

    def again(self) -> "Act":
        """The same without what is remembered."""
        raise NotImplementedError


def first_only(*_: Any) -> NoReturn:
    raise NotImplementedError(
        "zermelo: arrival times have first derivatives only; a second one was asked for "
        "(create_graph=True, torch.autograd.functional.hessian, ...)")


class Gate(Function):
    """The identity for the place at which a derivative is taken: to move it needs a second one."""

    @staticmethod
    def forward(*given: Any) -> Tensor:  # type: ignore[override]
        place: Tensor = given[-1]
        return place.view_as(place)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def vmap(info: Any, in_dims: Any, place: Tensor) -> Any:
        return Gate.apply(place), in_dims[0]

    backward = jvp = staticmethod(first_only)


def gated(inputs: Sequence[Optional[Tensor]]) -> List[Optional[Tensor]]:
    return [None if t is None else Gate.apply(t) for t in inputs]


def _one_or_all(out: Tensors) -> Any:
    return out[0] if len(out) == 1 else out


def _given(ctx: Any, act: Any) -> Tensors:
    """The inputs of the value; torch notices a change in place."""
    return tuple(ctx.saved_tensors[:act.inputs])


# ---- vmap: problem after problem ------------------------------------------------------

def mapped(apply: Any, info: Any, in_dims: Any, args: Sequence[Any]) -> Any:
    """vmap as a loop; results are stacked."""
    results = []
    for k in range(info.batch_size):
        out = apply(*(t if d is None else t.movedim(d, 0)[k] for t, d in zip(args, in_dims)))
        results.append(out if isinstance(out, tuple) else (out,))
    together = tuple(None if part[0] is None else torch.stack(part) for part in zip(*results))
    dims = tuple(None if part is None else 0 for part in together)
    return (together[0], dims[0]) if len(together) == 1 else (together, dims)


# ---- the three functions --------------------------------------------------------------

class Value(Function):
    """act.value(*inputs); called as Value.apply(act, *inputs)."""

    @staticmethod
    def forward(*given: Any) -> Any:  # type: ignore[override]
        if MODERN:
            act, *inputs = given
            return _one_or_all(act.value(*inputs))
        ctx, act = given[:2]
        found = act.value(*given[2:])
        ctx.act = act
        ctx.given = act.places or tuple(None if t is None else t.detach() for t in given[2:])
        if act.keeps_output:
            ctx.save_for_backward(*given[2:], *found)
        else:
            ctx.save_for_backward(*given[2:])
        return _one_or_all(found)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.act, *given = inputs
        ctx.given = tuple(None if t is None else t.detach() for t in given)
        out = output if isinstance(output, tuple) else (output,)
        ctx.save_for_backward(*given, *(out if ctx.act.keeps_output else ()))
        ctx.save_for_forward(*given)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        inputs = _given(ctx, ctx.act)
        if is_plain():
            out = pull(ctx.act, inputs, cotangents)
        else:
            found = Pull.apply(ctx.act, *cotangents, *gated(inputs))
            out = found if isinstance(found, tuple) else (found,)
        needs = ctx.needs_input_grad[1:]
        return (None, *[d if need else None for d, need in zip(out, needs)])

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:  # type: ignore[override]
        if MODERN and not is_plain():
            return Push.apply(ctx.act, *tangents, *gated(_given(ctx, ctx.act)))
        return _one_or_all(push(ctx.act, ctx.given, tangents))

    @staticmethod
    def vmap(info: Any, in_dims: Any, act: Any, *inputs: Any) -> Any:
        return mapped(lambda *t: Value.apply(act.again(), *t), info, in_dims[1:], inputs)


class Pull(Function):
    """J'c at `inputs`; called as Pull.apply(act, *cotangents, *inputs).  Linear in c."""

    @staticmethod
    def forward(*given: Any) -> Any:  # type: ignore[override]
        ctx, (act, *tensors) = (None, given) if MODERN else (given[0], given[1:])
        cotangents, inputs = tensors[:act.outputs], tuple(tensors[act.outputs:])
        out = _one_or_all(act.pull(inputs, cotangents))
        if ctx is not None:
            Pull.setup_context(ctx, (act, *tensors), out)
        return out

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.act, *tensors = inputs
        ctx.set_materialize_grads(False)
        ctx.given = tuple(None if t is None else t.detach() for t in tensors[ctx.act.outputs:])
        ctx.save_for_backward(*tensors[ctx.act.outputs:])

    @staticmethod
    def backward(ctx: Any, *tangents: Any) -> Any:
        inputs = _given(ctx, ctx.act)
        if is_plain():
            out: Any = push(ctx.act, inputs, tangents)
        else:
            out = Push.apply(ctx.act, *tangents, *gated(inputs))
            out = out if isinstance(out, tuple) else (out,)
        return (None, *out, *[None] * len(inputs))

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:  # type: ignore[override]
        cotangents, moves = tangents[:ctx.act.outputs], tangents[ctx.act.outputs:]
        if any(d is not None for d in moves):
            first_only()
        return _one_or_all(pull(ctx.act, ctx.given, cotangents))

    @staticmethod
    def vmap(info: Any, in_dims: Any, act: Any, *tensors: Any) -> Any:
        return _linear_map(Pull, info, in_dims, act, tensors, act.outputs)


class Push(Function):
    """J d at `inputs`; called as Push.apply(act, *tangents, *inputs).  Linear in d."""

    @staticmethod
    def forward(*given: Any) -> Any:  # type: ignore[override]
        ctx, (act, *tensors) = (None, given) if MODERN else (given[0], given[1:])
        out = _one_or_all(act.push(tuple(tensors[act.inputs:]), tuple(tensors[:act.inputs])))
        if ctx is not None:
            Push.setup_context(ctx, (act, *tensors), out)
        return out

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.act, *tensors = inputs
        ctx.set_materialize_grads(False)
        ctx.given = tuple(None if t is None else t.detach() for t in tensors[ctx.act.inputs:])
        ctx.save_for_backward(*tensors[ctx.act.inputs:])

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        inputs = _given(ctx, ctx.act)
        if is_plain():
            out = pull(ctx.act, inputs, cotangents)
        else:
            found = Pull.apply(ctx.act, *cotangents, *gated(inputs))
            out = found if isinstance(found, tuple) else (found,)
        needs = ctx.needs_input_grad[1:]
        return (None, *(d if need else None for d, need in zip(out, needs)), *[None] * len(inputs))

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:  # type: ignore[override]
        if any(d is not None for d in tangents[ctx.act.inputs:]):
            first_only()
        return _one_or_all(push(ctx.act, ctx.given, tangents[:ctx.act.inputs]))

    @staticmethod
    def vmap(info: Any, in_dims: Any, act: Any, *tensors: Any) -> Any:
        return _linear_map(Push, info, in_dims, act, tensors, act.inputs)


def _linear_map(function: Any, info: Any, in_dims: Any, act: Any, tensors: Any, n: int) -> Any:
    """At one place the loop has one record of it; at many there is a new one for each."""
    same = all(d is None for d in in_dims[1 + n:])
    return mapped(lambda *t: function.apply(act if same else act.again(), *t), info, in_dims[1:],
                  tensors)
