# SPDX-License-Identifier: Apache-2.0
"""Learned fire spread: models, their predictions, their training."""
from __future__ import annotations

import os
from typing import (TYPE_CHECKING, Callable, List, Literal, NamedTuple, Optional, Sequence, Tuple,
                    Union, get_args)

from .._arrays import choice, number_of
from .._core import ArgumentError, UnsupportedError
from .._options import path_text, seed_of, threads_given, whole as counted
from .._progress import check_monitor
from ._native import native
from .burning import Front
from .fires import FireLike, Five, Observed, Scene, fire_of
from .grid import dress
from .ignition import IgnitionLike
from .landscape import Path
from .weather import StartLike, WeatherLike

if TYPE_CHECKING:
    from .grid import Map

Form = Literal["paper", "multiplicative", "physics"]
Loss = Literal["log", "huber", "mse", "area"]
ScoreWord = Literal["both", "correlation", "iou", "rmse", "end"]
Stencils = Literal["adaptive", "fixed"]
STENCILS = {"fixed": 0, "adaptive": 1}


def _need_learning() -> None:
    if not hasattr(native, "model_load"):
        raise UnsupportedError("learned models are not in this installation: it was built without "
                               "oneDNN (Debian: apt install libdnnl-dev), then pip install "
                               "--force-reinstall --no-deps .")


class Model:
    """A learned model.  Any number of threads may predict with it.

    Parameters
    ----------
    path
        Made by `train` or ``zermelo fire train``.
    """

    def __init__(self, path: Path):
        _need_learning()
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"model is {type(path).__name__}, expected a Model or the path of one")
        self._native = native.model_load(path_text("model", path))
        form, self.parameters = self._native.facts()
        self.form: Form = get_args(Form)[form]

    def __repr__(self) -> str:
        return f"<Model of the form {self.form} with {self.parameters} parameters>"


ModelLike = Union[Model, Path]


def predict(model: ModelLike, fire: FireLike, weather: Optional[WeatherLike] = None,
            ignition: Optional[IgnitionLike] = None, *, start: Optional[StartLike] = None,
            duration: Optional[float] = None, fuel_moisture: Optional[Five] = None,
            fuels: Optional[Path] = None, conditioning: Optional[float] = None,
            time_zone: Optional[str] = None, t_max: Optional[float] = None, threads: int = 1
            ) -> "Map":
    """Arrival times of a fire by a learned model: the maps of ``zermelo fire predict``, bit for
    bit.

    Parameters
    ----------
    model : Model or path
    fire, weather, ignition, start, duration, fuel_moisture, fuels, conditioning, time_zone
        As of `physics`.
    t_max : hours, optional
        Cells reached later are infinite.  Where not given there is no limit, but for models of the
        form physics a quarter of its duration after the end of the fire.
    threads : int
        Of the convolutions; 0: as many as this process may use.
    """
    m = model if isinstance(model, Model) else Model(model)
    burned = fire_of(fire, weather, ignition, start, duration, fuel_moisture, fuels, conditioning,
                     time_zone)
    if t_max is not None and not t_max > 0:
        raise ArgumentError(f"t_max is {t_max!r}, expected hours > 0")
    T = burned.landscape.grid.plane()
    until = m._native.predict(burned.landscape._ground, burned._native(), burned._lit.sources,
                              0.0 if t_max is None else t_max, threads_given(threads), T)
    return dress(T, burned.landscape.grid, "arrival_h", {**burned._notes(), "t_max": until})


class Epoch(NamedTuple):
    """What a monitor is told after each batch, and what `Training.history` has of each epoch."""

    epoch: int
    batch: int
    batches: int
    """Of the epoch; batch == batches: it is done."""
    loss: float
    rate: float
    seconds: float
    correlation: float
    iou50: float
    iou100: float
    relative_rmse: float
    """Of the fires to validate on, after the epoch; else NaN."""
    score: float
    best: float
    best_epoch: int
    failed: int
    """Fires whose derivatives could not be had."""


class Training(NamedTuple):
    """A training that has ended."""

    model: Model
    """The best one."""
    history: List[Epoch]
    """Of each epoch of this call."""
    fires: int
    samples: int
    """Fires to train with, or their patches."""


Data = Union[Scene, Observed, Sequence[Scene], Sequence[Observed]]
Chosen = Optional[float]


def train(data: Data, model: Path, *, form: Optional[Form] = None,
          start_from: Optional[Path] = None, layers: Optional[int] = None, channels: Optional[int] = None,
          hidden: Optional[int] = None, mean_weather: bool = False, prior: bool = True,
          spread: Optional[float] = None, stencils: Stencils = "fixed",
          front: Front = "travel-time", loss: Loss = "log", censored: Chosen = None,
          tv_metric: float = 0.0, tv_drift: float = 0.0, shrink: Chosen = None,
          bands: Optional[Tuple[float, float]] = None, patches: Optional[Tuple[int, int]] = None,
          rate: Chosen = None, clip: float = 1.0, average: Chosen = None,
          batch: Optional[int] = None, epochs: int = 200, patience: int = 20,
          plateau: Optional[int] = None, warm_up: Optional[int] = None, score: ScoreWord = "both",
          seed: int = 1, most: int = 0, threads: int = 1, resume: bool = False,
          monitor: Optional[Callable[[Epoch], object]] = None) -> Training:
    """Learns spread from landscape and weather, on the fires of scenes.

    Fires with the word train in the column split are trained with, those with val decide when to
    stop.  The best model so far is always in the file `model`, and what `resume` needs in
    ``model.state``: the same files as of ``zermelo fire train``, bit for bit.

    Parameters
    ----------
    data
        Scenes; or observed fires, to fine-tune with `start_from`.
    model : path
        Where the best model is kept.
    form : 'paper', 'multiplicative' or 'physics'
        multiplicative where not given.
    start_from : path, optional
        Model to start from (``--from``); it has what options of new models choose.
    layers, channels, hidden : int, optional
        Of new models; else as usual for the form.
    mean_weather, prior, spread, stencils, front
        Of new models, as the options of the tool (``--no-prior``).
    loss, censored, tv_metric, tv_drift, shrink, bands, patches, rate, clip, average, batch, epochs,
    patience, plateau, warm_up, score, seed, most, threads
        As the options of the tool; None: as suits the form.
    resume : bool
        Go on from ``model.state``, to the same result as without the break.
    monitor : callable, optional
        Called with an `Epoch` after each batch and each epoch; a true answer, like Ctrl-C, ends the
        training with `zermelo.Cancelled`: what has been reached is kept, and it can be resumed.
    """
    _need_learning()
    scenes = [data] if isinstance(data, (Scene, Observed)) else list(data)
    _check_data(scenes, patches, bands, censored)
    _check_model(start_from, form, layers, channels, hidden, mean_weather, prior, spread, stencils,
                 front)
    new: Form = form or "multiplicative"
    if patches is not None and start_from is None and new != "paper" \
            and (new == "physics" or not mean_weather):
        raise ArgumentError("patches need mean weather: form='paper', or 'multiplicative' with "
                            "mean_weather=True")
    for name, count in (("epochs", epochs), ("patience", patience), ("batch", batch),
                        ("plateau", plateau)):
        if count is not None:
            counted(name, count, "at least 1", 1)
    for name, x in (("rate", rate), ("spread", spread), ("clip", clip)):
        if x is not None and not number_of(x, name) > 0:
            raise ArgumentError(f"{name} is {x!r}, expected a number > 0")
    _refuse_default_values(layers=(layers, 0), channels=(channels, 1), hidden=(hidden, 1),
                           censored=(censored, 0), shrink=(shrink, 0), average=(average, 0),
                           warm_up=(warm_up, 0), most=(most, 0),
                           **{"the first of patches": (patches and patches[0], 1),
                              "the first of bands": (bands and bands[0], 1e-6)})
    check_monitor(monitor)
    history: List[Epoch] = []

    def on_batch(*values: object) -> object:
        told = Epoch(*values)  # type: ignore[arg-type]
        if told.batch == told.batches:
            history.append(told)
        return monitor(told) if monitor is not None else None

    def number(value: Optional[float]) -> float:
        return -1.0 if value is None else float(value)

    def whole(value: Optional[int]) -> int:
        return -1 if value is None else value
    path = path_text("model", model)
    width, stride = bands if bands is not None else (0.0, 0.25)
    fires, samples = native.train(
        [scene.landscape._ground for scene in scenes],
        None if start_from is None else path_text("start_from", start_from), path, path + ".state", most,
        (choice("form", new, get_args(Form)), seed_of(seed), spread or 0.0, whole(layers), channels or 0,
         hidden or 0, not mean_weather, prior, STENCILS[_word("stencils", stencils)],
         choice("front", front, get_args(Front))),
        (choice("loss", loss, get_args(Loss)), number(censored), tv_metric, tv_drift,
         number(shrink), number(rate), clip, number(average), whole(batch), epochs, patience,
         whole(plateau), whole(warm_up), choice("score", score, get_args(ScoreWord)), seed_of(seed), width,
         stride, resume, threads_given(threads)),
        patches if patches is not None else (0, 0), on_batch)
    return Training(Model(path), history, fires, samples)


def _refuse_default_values(**given: Tuple[Optional[float], float]) -> None:
    """Numbers below their least: the library is told so that an option was not given."""
    for name, (x, least) in given.items():
        if x is not None and not number_of(x, name) >= least:
            raise ArgumentError(f"{name} is {x!r}, expected at least {least:g}")


def _word(name: str, value: str) -> Stencils:
    words: Tuple[Stencils, ...] = get_args(Stencils)
    return words[choice(name, value, words)]


def _check_data(scenes: Sequence[Union[Scene, Observed]], patches: object, bands: object,
                censored: object) -> None:
    if not scenes:
        raise ArgumentError("data is empty, expected at least one Scene")
    for scene in scenes:
        if not isinstance(scene, (Scene, Observed)):
            raise TypeError(f"data holds a {type(scene).__name__}, expected Scene or Observed")
    observed = [isinstance(scene, Observed) for scene in scenes]
    if any(observed) != all(observed):
        raise ArgumentError("data holds scenes and observed fires; train on one kind")
    if patches is not None and any(observed):
        raise ArgumentError("patches are of the fires of scenes, not of observed ones")
    if patches is not None and bands is not None:
        raise ArgumentError("patches and bands are two ways to cut a fire: take one")
    if patches is not None and censored is not None:
        raise ArgumentError("censored: cells that did not burn do not count in patches")


def _check_model(start_from: object, form: Optional[Form], layers: object, channels: object,
                 hidden: object, mean_weather: bool, prior: bool, spread: object,
                 stencils: Stencils, front: Front) -> None:
    given = [name for name, value in (
        ("form", form), ("layers", layers), ("channels", channels), ("hidden", hidden),
        ("mean_weather", mean_weather or None), ("prior", None if prior else False),
        ("spread", spread), ("stencils", None if stencils == "fixed" else stencils),
        ("front", None if front == "travel-time" else front)) if value is not None]
    if start_from is not None and given:
        raise ArgumentError(f"{given[0]} is of new models; with start_from that of the file holds")
    if front != "travel-time" and form != "physics":
        raise ArgumentError("front is of new models of the form physics")
    unfit = [name for name in ("mean_weather", "prior", "spread", "stencils") if name in given]
    if form == "physics" and unfit:
        raise ArgumentError(f"{unfit[0]} is not for the form physics")


__all__ = ["Epoch", "Model", "Training", "predict", "train"]
