# SPDX-License-Identifier: Apache-2.0
"""The extension module behind zermelo.fire, or why it is not there."""
import sys
import warnings

try:
    from .. import _fire as native
except ModuleNotFoundError as missing:
    if missing.name not in (None, "zermelo._fire"):
        raise
    raise ImportError(
        "zermelo.fire is not in this installation: it was built without GDAL and Jansson. Install "
        "them (Debian: apt install libgdal-dev libjansson-dev, and libdnnl-dev to learn), then "
        "zermelo again: pip install --force-reinstall --no-deps .", name="zermelo._fire") from None
except ImportError as broken:
    raise ImportError(f"zermelo.fire cannot be loaded, a library it was built with is gone: "
                      f"{broken}", name="zermelo._fire") from None

__all__ = ["AssumedWarning", "assume", "native"]


class AssumedWarning(UserWarning):
    """Something was not given, and is taken as usual."""


def assume(what: str) -> None:
    """Says what is taken for granted, to whoever called the package."""
    frame, depth = sys._getframe(1), 2
    while frame.f_back and str(frame.f_globals.get("__name__", "")).startswith("zermelo."):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(what, AssumedWarning, stacklevel=depth)
