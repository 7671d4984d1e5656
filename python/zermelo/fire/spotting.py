# SPDX-License-Identifier: Apache-2.0
"""Embers that light fires ahead of the front."""
from __future__ import annotations

from typing import Literal, NamedTuple, Optional, Tuple, Union, get_args

from .._arrays import choice, number_of
from .._core import ArgumentError
from .._options import seed_of

EmbersFrom = Literal["torching", "surface", "both"]
TreeSpecies = Literal[
    "engelmann-spruce", "douglas-fir", "subalpine-fir", "western-hemlock", "ponderosa-pine",
    "lodgepole-pine", "western-white-pine", "grand-fir", "balsam-fir", "slash-pine", "longleaf-pine",
    "pond-pine", "shortleaf-pine", "loblolly-pine"]
Native = Tuple[float, int, float, int, float, float, float, int]


class Spotting(NamedTuple):
    """What embers there are and what they light, as the options of the tool have it
    (docs/fire-physics.md).  A number in its place is the probability, with the rest as usual."""

    probability: float
    """That an ember which lands where fuel could be lit does it, times that of its moisture."""
    embers_from: EmbersFrom = "both"
    """Torching trees, surface fires without a canopy above them, or both."""
    embers: float = 100.0
    """For each hectare that burns so."""
    tree_species: TreeSpecies = "ponderosa-pine"
    tree_diameter: float = 30.0
    """Of stems at breast height, cm."""
    torching_trees: float = 5.0
    """That torch together."""
    spot_delay: float = 2.0
    """Minutes from landing until a fire spreads."""
    embers_seed: int = 1


SpottingLike = Union[Spotting, float]


def spotting_of(value: Optional[SpottingLike]) -> Optional[Native]:
    """As the library takes it, which knows the ranges; None: there is none."""
    if value is None:
        return None
    s = value if isinstance(value, Spotting) else Spotting(number_of(value, "spotting"))
    probability, embers, diameter, trees, delay = (
        number_of(getattr(s, name), name) for name in
        ("probability", "embers", "tree_diameter", "torching_trees", "spot_delay"))
    if not 0 <= probability <= 1:
        raise ArgumentError(f"spotting is {probability:g}, expected a probability from 0 to 1")
    seed = seed_of(s.embers_seed)
    of = choice("embers_from", s.embers_from, get_args(EmbersFrom)) + 1
    species = choice("tree_species", s.tree_species, get_args(TreeSpecies))
    return (probability, of, embers, species, diameter, trees, delay, seed) if probability else None


__all__ = ["EmbersFrom", "Spotting", "SpottingLike", "TreeSpecies", "spotting_of"]
