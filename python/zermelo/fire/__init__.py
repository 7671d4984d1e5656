# SPDX-License-Identifier: Apache-2.0
"""Wildfires: when each cell of a landscape burns, by physics or by learned models.

>>> import tempfile, zermelo.fire
>>> with tempfile.TemporaryDirectory() as folder:
...     scene = zermelo.fire.simulate(folder, fires=1, shape=(60, 70), seed=3)
...     fire = scene["f0001"]
...     T = zermelo.fire.physics(fire)                     # hours, an xarray.DataArray
...     areas = zermelo.fire.perimeters(T)                 # polygons, a GeoDataFrame
...     score = zermelo.fire.score(T, fire)                # against the true times
>>> T.shape, score.burned_cells > 100
((60, 70), True)

The functions are the verbs of ``zermelo fire`` and give the same numbers, bit for bit
(docs/python-fire.md).  They need a build with GDAL and Jansson, learning with oneDNN too.
"""
from ._native import AssumedWarning
from .burning import Ensemble, Risk, RiskFire, Way, ensemble, physics, risk, ways
from .calibration import Calibration, Parameter, calibrate
from .fires import Fire, Observed, Scene, simulate
from .grid import Grid, perimeters
from .ignition import Ignition
from .landscape import Landscape
from .learning import Epoch, Model, Training, predict, train
from .scores import Score, score
from .spotting import Spotting
from .weather import Weather

__all__ = [
    "AssumedWarning", "Calibration", "Ensemble", "Epoch", "Fire", "Grid", "Ignition", "Landscape",
    "Model", "Observed", "Parameter", "Risk", "RiskFire", "Scene", "Score", "Spotting", "Training",
    "Way", "Weather", "calibrate", "ensemble", "perimeters", "physics", "predict", "risk", "score",
    "simulate", "train", "ways",
]
