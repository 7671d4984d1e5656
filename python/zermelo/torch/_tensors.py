# SPDX-License-Identifier: Apache-2.0
"""Tensors as the library takes them: where they are, of what type, and back."""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor
from torch.autograd import forward_ad

from .._core import ArgumentError
from .._types import Array

Place = Union[Tensor, Array, Sequence[Union[float, Tensor]]]
"""(row, col[, time])"""
SourceList = Union[Place, Sequence[Place], Sequence[Sequence[Place]]]
"""Places, one list a problem, or a mask."""
Numbers = Union[Tensor, Array, Sequence[float]]
Mask = Union[Tensor, Array]

NUMBERS = int, float
FULL = torch.float32, torch.float64
HALF = torch.float16, torch.bfloat16


def array(t: Optional[Tensor]) -> Any:
    if t is None:
        return None
    if t.is_neg():  # a view that torch negates when it is read
        t = t.resolve_neg()
    return t.detach().numpy() if t.requires_grad else t.numpy()


def tensor(a: Optional[Array]) -> Any:
    return None if a is None else torch.from_numpy(a)


def plain(value: Any) -> Any:
    """The same without tensors: arrays, and lists of numbers and arrays."""
    if isinstance(value, Tensor):
        return value.detach().cpu().resolve_neg().numpy()
    if isinstance(value, (list, tuple)):
        entries = [plain(entry) for entry in value]
        return tuple(entries) if isinstance(value, tuple) else entries
    return value


def needs_derivatives(value: Any) -> bool:
    """Whether a value, or one in its lists, is to be differentiated in reverse or in forward mode."""
    if isinstance(value, (list, tuple)):
        return any(map(needs_derivatives, value))
    return isinstance(value, Tensor) and (value.requires_grad or (
        forward_ad._current_level >= 0 and value.is_floating_point()
        and forward_ad.unpack_dual(value).tangent is not None))


def refuse_derivatives(has: str, **given: Any) -> None:
    """Derivatives with respect to these arguments would be lost without a word."""
    for name, value in given.items():
        if value is not None and type(value) not in NUMBERS and needs_derivatives(value):
            raise TypeError(f"{name} needs gradients, and only {has} derivatives: give the values of "
                            f"{name}, .detach()")


# ---- what torch is doing -------------------------------------------------------------

def transformed() -> bool:
    """Whether a transform of torch.func (or functorch) is at work."""
    return _transforms() not in (None, False)


_functorch: Any = getattr(torch._C, "_functorch", None)
_transforms: Any = getattr(_functorch, "peek_interpreter_stack", None) or getattr(
    _functorch, "are_transforms_active", bool)  # of torch 2, of torch 1.13


def traced() -> bool:
    """Whether a compiler or a tracer records what is done instead of values."""
    if _modes() or _recorded() is not None:
        return True
    return bool(_compiling())


def sliced() -> bool:
    """Whether torch.autograd.functional takes all rows of a Jacobian at once (vectorize=True)."""
    return bool(_included().has(_VMAP))


_included: Any = getattr(torch._C, "_dispatch_tls_local_include_set")
_VMAP: Any = getattr(torch._C, "_dispatch_key_parse")("VmapMode")
_recorded: Any = getattr(torch._C, "_get_tracing_state")  # of torch.jit.trace


_modes: Any = getattr(torch._C, "_len_torch_dispatch_stack", None) or getattr(
    torch._C, "_get_torch_dispatch_mode", bool)  # of torch 2, of torch 1.13
_compiling: Any = getattr(getattr(torch, "compiler", None), "is_compiling", bool)
MODERN = hasattr(torch.autograd.Function, "setup_context")
"""torch 2: forward without ctx, and torch.func."""


def is_plain() -> bool:
    """Nothing but values are asked for: no graph of derivatives, no tangents, no transform."""
    return (not torch.is_grad_enabled() and forward_ad._current_level < 0
            and not transformed())


def is_value(*tensors: Optional[Tensor]) -> bool:
    """Nothing but the value of a function of these tensors is asked for."""
    if torch.is_grad_enabled():
        for t in tensors:
            if t is not None and t.requires_grad:
                return False
    return (forward_ad._current_level < 0
            and not transformed())


def autocast(device: torch.device) -> bool:
    if device.type == "cpu":
        return bool(torch.is_autocast_cpu_enabled())
    return bool(torch.is_autocast_enabled())


# ---- types and devices ---------------------------------------------------------------

class Home(NamedTuple):
    """Where tensors came from, and results go to."""

    device: Optional[torch.device]  # None: the CPU
    dtype: Optional[torch.dtype]  # None: that of the computation

    def take(self, result: Tensor) -> Tensor:
        """A result on the device and of the type of the arguments."""
        if self.dtype is not None:
            result = _narrow(result, self.dtype)
        return result if self.device is None else move(result, self.device)


STAY = Home(None, None)


def move(t: Tensor, device: torch.device) -> Tensor:
    """Every tensor that goes to another device, or comes back, goes through here."""
    return t.to(device)


def _narrow(result: Tensor, dtype: torch.dtype) -> Tensor:
    narrow = result.to(dtype)
    if dtype == torch.float16 and torch.isinf(narrow).sum() != torch.isinf(result).sum():
        most = float(result[torch.isfinite(result)].abs().max())
        raise ArgumentError(f"a result of {most:.6g} is beyond float16, whose largest number is 65504, "
                            "and would be taken for a cell that is not reached: give bfloat16 or "
                            "float32")
    return narrow


def check(name: str, t: Any) -> Tensor:
    if isinstance(t, Tensor):
        if t.dtype not in FULL and t.dtype not in HALF:
            raise TypeError(f"{name} is {t.dtype} on {t.device}, expected a tensor of floating-point "
                            "numbers")
        if t.device.type == "meta":
            raise TypeError(f"{name} is {t.dtype} on {t.device}, which holds no values")
        if t.layout is not torch.strided:
            raise TypeError(f"{name} is a tensor of layout {t.layout} and shape {tuple(t.shape)}, expected "
                            f"a dense one: {name}.to_dense()")
        return t
    raise TypeError(f"{name} is {type(t).__name__}, expected a tensor")


def is_home(t: Any) -> bool:
    """A tensor as the library takes it."""
    return type(t) is Tensor and t.is_cpu and t.dtype in FULL and t.layout is torch.strided


def are_home(G: Any, b: Any) -> bool:
    """Metric and drift as the library takes them, the drift not constant."""
    return is_home(G) and (b is None or is_home(b) and b.dtype is G.dtype and b.dim() > 2)


def gather(**given: Any) -> Tuple[List[Any], Home]:
    """Tensors on the CPU, of one type that the library has; None stays."""
    first: Any = next(iter(given.values()))
    if all(t is None or (is_home(t) and t.dtype is first.dtype) for t in given.values()):
        return list(given.values()), STAY
    tensors = {name: check(name, t) for name, t in given.items() if t is not None}
    devices = {t.device for t in tensors.values()}
    if len(devices) > 1:
        raise ArgumentError("tensors on different devices: " + ", ".join(
            f"{name} on {t.device}" for name, t in tensors.items()))
    device = devices.pop()
    common = tensors[next(iter(tensors))].dtype
    for t in tensors.values():
        common = torch.promote_types(common, t.dtype)
    wanted = torch.float32 if common in HALF else common
    home = Home(None if device.type == "cpu" else device,
                common if common in HALF and not autocast(device) else None)
    out: List[Any] = []
    for t in given.values():
        if t is not None:
            t = t if t.device.type == "cpu" else move(t, torch.device("cpu"))
            t = t.to(wanted)
        out.append(t)
    return out, home


# ---- metric, drift, sources ----------------------------------------------------------

def stacked(value: Any) -> Tensor:
    """A float64 tensor on the CPU of numbers, tensors and lists of such of one length."""
    if isinstance(value, (list, tuple)):
        return torch.stack([stacked(entry) for entry in value])
    if isinstance(value, Tensor):
        return move(value, torch.device("cpu")).to(torch.float64)
    return torch.as_tensor(value, dtype=torch.float64)


def metric_and_drift(G: Any, b: Any) -> Tuple[Tensor, Optional[Tensor], Home]:
    """G and b of one type on the CPU; a constant drift as planes."""
    if G is None:
        raise TypeError("G is None, expected a tensor")
    if b is None:
        (G,), home = gather(G=G)
        return G, None, home
    if isinstance(b, (int, float, list, tuple)):
        given = stacked(b)
        (G,), home = gather(G=G)
        b = given.to(G.dtype)
    else:
        (G, b), home = gather(G=G, b=b)
    if b.dim() == 0 or b.shape == (2,):
        b = b.reshape(-1, 1, 1).expand(2, *G.shape[-2:])
    return G, b, home


def has_tensors(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        for entry in value:
            if type(entry) not in NUMBERS and has_tensors(entry):
                return True
        return False
    return isinstance(value, Tensor)


def has_floats(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.is_floating_point()
    return isinstance(value, (list, tuple)) and any(map(has_floats, value))


def source_rows(sources: Any) -> Tensor:
    """(n, 3): all sources, one list after the other, with what makes them differentiable."""
    def rows(value: Any) -> List[Tensor]:
        if isinstance(value, (list, tuple)) and any(
                isinstance(entry, (list, tuple)) or getattr(entry, "ndim", False) for entry in value):
            return [row for entry in value for row in rows(entry)]
        t = stacked(value)  # a source, or a tensor of them
        return [torch.nn.functional.pad(t, (0, 3 - t.shape[-1])).reshape(-1, 3)]
    return torch.cat(rows(sources))


def full_planes(G: Tensor) -> Tensor:
    """All three planes of a scalar or diagonal metric."""
    if G.dim() > 2 and G.shape[-3] == 3:
        return G
    g = G[None] if G.dim() == 2 else G
    g11, g22 = g[..., :1, :, :], g[..., -1:, :, :]
    return torch.cat([g11, torch.zeros_like(g11), g22], dim=-3)


def in_one_piece(t: Tensor) -> Tensor:
    """The tensor, copied unless each of its planes (the last two axes) is in one piece."""
    if t.is_contiguous():
        return t
    shape: Sequence[int] = t.shape
    stride: Sequence[int] = t.stride()
    if (shape[-1] == 1 or stride[-1] == 1) and (shape[-2] == 1 or stride[-2] == shape[-1]):
        return t
    return t.contiguous()


def pair(G: Any, b: Any, names: str = "Gb") -> Tuple[Tensor, Optional[Tensor], Home]:
    """Three planes and two of one type, one batch, planes in one piece."""
    if b is None:
        (G,), home = gather(**{names[0]: G})
    else:
        (G, b), home = gather(**{names[0]: G, names[1]: b})
    if G.dim() < 2 or G.dim() > 4 or (G.dim() > 2 and G.shape[-3] not in (1, 2, 3)):
        raise ArgumentError(f"{names[0]} has shape {tuple(G.shape)}, expected (H, W), (3, H, W) or "
                            "(B, 3, H, W)")
    full = full_planes(G)
    if b is None:
        return in_one_piece(full), None, home
    if b.shape[-3:] != (2, *full.shape[-2:]):
        raise ArgumentError(f"{names[1]} has shape {tuple(b.shape)}, expected (2, "
                            f"{full.shape[-2]}, {full.shape[-1]}) or a batch of them")
    if full.dim() != b.dim() or full.shape[:-3] != b.shape[:-3]:
        shapes: Any = torch.broadcast_shapes
        batch = shapes(full.shape[:-3], b.shape[:-3])
        full, b = full.expand(*batch, *full.shape[-3:]), b.expand(*batch, *b.shape[-3:])
    return in_one_piece(full), in_one_piece(b), home
