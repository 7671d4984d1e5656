# SPDX-License-Identifier: Apache-2.0
"""Types: mypy --strict has nothing to say, and users see types of their own arrays."""
import importlib.util
import inspect
import pathlib
import re
import subprocess
import sys
import tempfile
import typing
import unittest

import zermelo
from _common import ROOT, main

USER = '''
from typing import Tuple, Union, assert_type
import numpy as np
import numpy.typing as npt
import xarray
import zermelo

Floats = npt.NDArray[Union[np.float32, np.float64]]
G = np.ones((3, 4, 5))
field = xarray.DataArray(G)
assert_type(zermelo.solve(G, None, [(1, 2)]), Floats)
assert_type(zermelo.solve([[1.0, 2.0]], (0.1, 0.2), (1, 2, 0.5), (10.0, 20.0), threads=2), Floats)
assert_type(zermelo.solve(field, None, [(1, 2)], "coords"), xarray.DataArray)
assert_type(zermelo.solve(G, field, [(1, 2)], {"x": 1.0, "y": 2.0}), xarray.DataArray)
s = zermelo.solve(G, None, [(1, 2)], solution=True)
assert_type(s.T, Floats)
assert_type(s.vjp(s.T)[0], Floats)
assert_type(zermelo.solve(field, None, (1, 2), solution=True).labels, xarray.DataArray)
assert_type(zermelo.project(G), Floats)
assert_type(zermelo.project(field, field), Tuple[xarray.DataArray, xarray.DataArray])
assert_type(zermelo.parametrise(field)[0], xarray.DataArray)
assert_type(zermelo.parametrise_vjp(G, G), Floats)
assert_type(zermelo.fire_ellipse(G, 1.0, 0.5), Tuple[Floats, Floats])
zermelo.solve(G, None, (1, 2), stencils="fixed", periodic="xy", cost="own")
zermelo.solve(G, None, (1, 2), stencils="fxied")  # type: ignore[call-overload]
zermelo.solve(G, None, (1, 2), periodic="yx")  # type: ignore[call-overload]
zermelo.solve(G, None, (1, 2), spacing="cords")  # type: ignore[call-overload]
zermelo.to_fire_ellipse(G, convention="north")  # type: ignore[arg-type]
s.residual("exact")  # type: ignore[arg-type]
s.jacobian("T")  # type: ignore[arg-type]
'''


def has(name):
    return importlib.util.find_spec(name) is not None


class Types(unittest.TestCase):
    @unittest.skipUnless(has("mypy") and has("xarray") and sys.version_info >= (3, 11),
                         "needs mypy, xarray and Python 3.11 (Debian: mypy python3-xarray)")
    def test_package_examples_and_users_pass_mypy_strict(self):
        with tempfile.TemporaryDirectory() as folder:
            user = pathlib.Path(folder, "user.py")
            user.write_text(USER, encoding="utf-8")
            cache = ROOT / "build/mypy" if (ROOT / "build").is_dir() else folder
            run = subprocess.run(
                [sys.executable, "-m", "mypy", "--strict", "--config-file",
                 str(ROOT / "pyproject.toml"), "--cache-dir", str(cache),
                 str(ROOT / "python/zermelo"), str(ROOT / "examples/python"), str(user)],
                cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    @unittest.skipUnless(hasattr(typing, "get_overloads"), "needs Python 3.11")
    def test_no_public_signature_says_any(self):
        for name in zermelo.__all__:
            thing = getattr(zermelo, name)
            functions = [thing] if inspect.isfunction(thing) else \
                [f for key, f in vars(thing).items()
                 if inspect.isfunction(f) and not key.startswith("_")] \
                if inspect.isclass(thing) else []
            for function in functions:
                for variant in typing.get_overloads(function) or [function]:
                    for argument, annotation in variant.__annotations__.items():
                        with self.subTest(name, function=function.__name__, argument=argument):
                            said = re.sub(r"Solution\[Any\]|Dict\[str, Any\]", "", str(annotation))
                            self.assertNotIn("Any", said)


if __name__ == "__main__":
    main()
