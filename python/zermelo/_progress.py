# SPDX-License-Identifier: Apache-2.0
"""Progress bars: tqdm's where it is installed, else our own."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional, Protocol, TextIO

from ._core import ArgumentError
from ._types import Progress

Tell = Callable[[float], object]


class Bar(Protocol):
    """What draws."""

    def show(self, fraction: float) -> None: ...
    def close(self) -> None: ...


class OwnBar:
    """One line of a terminal, drawn anew when the percentage changes."""

    WIDTH = 30

    def __init__(self, name: str, out: TextIO):
        self.name, self.out, self.began, self.shown = name, out, time.monotonic(), -1

    def show(self, fraction: float) -> None:
        percent = int(100 * fraction)
        if percent == self.shown:
            return
        self.shown, full = percent, self.WIDTH * percent // 100
        seconds = time.monotonic() - self.began
        self.out.write(f"\r{self.name}: {percent:3d} % [{'#' * full}{' ' * (self.WIDTH - full)}] "
                       f"{seconds:.0f} s")
        self.out.flush()

    def close(self) -> None:
        if self.shown >= 0:
            self.out.write("\n")
            self.out.flush()


class TqdmBar:
    """That of tqdm, which knows terminals and notebooks."""

    def __init__(self, name: str, out: Optional[TextIO]):
        from tqdm.auto import tqdm
        self.bar = tqdm(total=1.0, desc=name, file=out, leave=True,
                        bar_format="{desc}: {percentage:3.0f} %|{bar}| {elapsed}<{remaining}")

    def show(self, fraction: float) -> None:
        self.bar.update(fraction - self.bar.n)

    def close(self) -> None:
        self.bar.close()


def in_notebook() -> bool:
    """Whether output is a cell of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


def bar_of(name: str) -> Optional[Bar]:
    """A bar on standard error; None where nobody would see it."""
    notebook = in_notebook()
    if not notebook and not (sys.stderr is not None and sys.stderr.isatty()):
        return None
    try:
        return TqdmBar(name, None if notebook else sys.stderr)
    except ImportError:
        return OwnBar(name, sys.stderr)


def check_progress(progress: object) -> None:
    """Refuses what is neither a function nor yes or no."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise ArgumentError(f"progress is {progress!r}, expected True, False, a callable or None")


def check_monitor(monitor: object) -> None:
    """Refuses what is no function."""
    if monitor is not None and not callable(monitor):
        raise ArgumentError(f"monitor is {monitor!r}, expected a callable or None")


class watched:
    """What a long computation is to call; the bar is closed in the end, however it ends."""

    __slots__ = ("tell", "bar")

    def __init__(self, progress: Progress, name: str):
        self.bar = bar_of(name) if progress is True else None
        self.tell: Optional[Tell] = None
        if self.bar is not None:
            self.tell = self.bar.show
        elif progress is not True and progress:
            check_progress(progress)
            self.tell = progress

    def __enter__(self) -> Optional[Tell]:
        return self.tell

    def __exit__(self, failure: Any, *rest: Any) -> None:
        if self.bar is None:
            return
        try:
            if failure is None:
                self.bar.show(1.0)
        finally:
            self.bar.close()
