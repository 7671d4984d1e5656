# SPDX-License-Identifier: Apache-2.0
"""Names for what users give and get."""
from __future__ import annotations

from typing import (Any, Callable, Hashable, Literal, Mapping, Optional, Protocol, Tuple, TypeVar,
                    Union, runtime_checkable)

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
"""Inside the package: an array of whatever type."""
FloatArray = npt.NDArray[Union[np.float32, np.float64]]
Cells = Tuple[int, ...]  # (H, W)


@runtime_checkable
class Labelled(Protocol):
    """What is used of an xarray.DataArray."""

    @property
    def dims(self) -> Tuple[Hashable, ...]: ...
    @property
    def coords(self) -> Mapping[Any, Any]: ...
    def isel(self, indexers: Any = ..., drop: bool = ...) -> Any: ...
    def transpose(self, *dims: Hashable) -> Any: ...


@runtime_checkable
class Dataset(Protocol):
    """What is used of an open rasterio dataset."""

    transform: Any
    crs: Any
    height: Any
    width: Any

    def read(self, *args: Any, **options: Any) -> Any: ...


class LinearOperator(Protocol):
    """What is used of a scipy.sparse.linalg.LinearOperator."""

    shape: Tuple[int, int]
    dtype: np.dtype[Any]

    def matvec(self, x: Array) -> FloatArray: ...
    def rmatvec(self, x: Array) -> FloatArray: ...
    def matmat(self, X: Array) -> FloatArray: ...
    def __matmul__(self, x: Array) -> FloatArray: ...
    @property
    def T(self) -> "LinearOperator": ...
    @property
    def H(self) -> "LinearOperator": ...


PlainArrayLike = npt.ArrayLike
"""Anything numpy.asarray takes."""
ArrayLike = Union[npt.ArrayLike, Labelled, Dataset]
"""That, xarray's DataArray and open rasterio datasets."""
class Matrix(Protocol):
    """A sparse matrix of SciPy."""

    @property
    def shape(self) -> Tuple[int, ...]: ...


Weights = Union[ArrayLike, LinearOperator, Matrix]
"""A number, a diagonal, or a symmetric matrix or operator."""
Progress = Union[bool, Callable[[float], object], None]
"""True: a bar, where it can be seen; a function: called now and then with the fraction that is
done, and a true answer cancels; False or None: nothing."""
Spacing = Union[float, Tuple[float, float], Mapping[str, float], Literal["coords"]]
L = TypeVar("L", bound=Labelled)
