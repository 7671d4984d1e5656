# SPDX-License-Identifier: Apache-2.0
"""An option has one name and one default in C, in the tool and in Python."""
import ast
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from _tool import HAS_FIRE, ROOT, TOOL, main

INF = float("inf")

# Of each struct of options: member of C, its default as the tool and Python say it, verb and
# option of the tool, function and keyword of Python; None where there is none.  Words stand for
# the values of enumerations, with their number in C.
SOLVE, INVERT = ("_solve.py", "solve"), ("_invert.py", "invert")
TABLE = {
    "zm_solver_opts ZM_SOLVER_OPTS_INIT": [
        ("threads", 1, "1", ("solve", "threads"), (SOLVE, "threads", 1)),
        ("stencils", 1, "adaptive", ("solve", "stencils"), (SOLVE, "stencils", "adaptive")),
        ("order", 1, "1", ("solve", "order"), (SOLVE, "order", 1)),
        ("factor_radius", -1, "none, with --order 2 or 3 all", ("solve", "factor"),
         (SOLVE, "factor", None)),
        ("periodic", 0, None, ("solve", "periodic"), (SOLVE, "periodic", "")),
        ("cost", 1, None, None, (SOLVE, "cost", "mean")),
    ],
    "zm_forward_opts ZM_FORWARD_OPTS_INIT": [
        ("t_max", INF, "inf", ("solve", "t-max"), (SOLVE, "t_max", None)),
        ("tol", 0, "0", ("solve", "tol"), (SOLVE, "tol", 0.0)),
        ("max_iterations", 100000, "100000", ("solve", "max-iterations"),
         (SOLVE, "max_iterations", 100000)),
        ("max_cells", 0, None, ("solve", "max-cells"), (SOLVE, "max_cells", None)),
    ],
    "zm_path_opts ZM_PATH_OPTS_INIT": [
        ("straighten", 1, None, ("path", "no-straighten"),
         (("_solve.py", "path"), "straighten", True)),
    ],
    "zm_invert_opts ZM_INVERT_OPTS_INIT": [
        ("threads", 1, "1", ("invert", "threads"), (INVERT, "threads", 1)),
        ("unknown", 1, "isotropic", ("invert", "unknown"), (INVERT, "unknown", "isotropic")),
        ("metric_map", 0, None, None, (INVERT, "metric_map", None)),
        ("drift_map", 0, None, None, (INVERT, "drift_map", "project")),
        ("eig_min", 0, None, None, (INVERT, "eig_min", 0.0)),
        ("eig_max", 0, None, None, (INVERT, "eig_max", 0.0)),
        ("rho", 0.98, None, None, (INVERT, "rho", 0.98)),
        ("misfit", 0, "squares", ("invert", "misfit"), (INVERT, "misfit", "squares")),
        ("huber", 1.345, None, None, (INVERT, "huber", 1.345)),
        ("regulariser", 0, "tv", ("invert", "regulariser"), (INVERT, "regulariser", "tv")),
        ("eps", 0, None, None, (INVERT, "eps", 0.0)),
        ("lambda_rule", 0, "auto", ("invert", "lambda"), (INVERT, "lam", "auto")),
        ("lambda", 1, None, None, (INVERT, "lam_factor", 1.0)),
        ("chi2", 1, None, None, (INVERT, "chi2", 1.0)),
        ("method", 0, "auto", ("invert", "method"), (INVERT, "method", "auto")),
        ("max_iterations", 0, None, ("invert", "max-iterations"), (INVERT, "max_iterations", 0)),
        ("max_solves", 0, "no limit", ("invert", "max-solves"), (INVERT, "max_solves", 0)),
        ("rate", 1e-2, None, None, (INVERT, "rate", 1e-2)),
        ("line_search", 1, None, None, (INVERT, "line_search", True)),
        ("clip", INF, None, None, (INVERT, "clip", INF)),
        ("stencils", 1, "adaptive", ("invert", "stencils"), (INVERT, "stencils", "adaptive")),
        ("lcurve_points", 13, "13", ("invert", "lcurve"), (INVERT, "lcurve_points", 13)),
    ],
    "zm_invert_std_opts ZM_INVERT_STD_OPTS_INIT": [
        ("samples", 64, "64", ("invert", "samples"), (("_invert.py", "std"), "samples", 64)),
        ("seed", 1, None, None, (("_invert.py", "std"), "seed", 1)),
        ("tolerance", 1e-4, None, None, (("_invert.py", "std"), "tolerance", 1e-4)),
    ],
    "zm_project_opts ZM_PROJECT_OPTS_INIT": [
        (name, value, None, None, ((("_convert.py"), "project"), name, value))
        for name, value in (("eig_min", 1e-6), ("eig_max", INF), ("rho", 0.99), ("threads", 1))
    ] + [("nonfinite", 0, None, None, (("_convert.py", "project_vjp"), "nonfinite", "refuse"))],
    "zm_convert_opts ZM_CONVERT_OPTS_INIT": [
        ("convention", 0, "compass", ("convert", "convention"),
         (("_convert.py", "to_fire_ellipse"), "convention", "compass")),
        ("tilt", 1e-3, "0.001", ("convert", "tilt"),
         (("_convert.py", "to_fire_ellipse"), "tilt", 1e-3)),
        ("nonfinite", 0, None, None, None),
    ],
}
PHYSICS, ENSEMBLE = ("fire/burning.py", "physics"), ("fire/burning.py", "ensemble")
WAYS = ("fire/burning.py", "ways")
CALIBRATE, SIMULATE = ("fire/calibration.py", "calibrate"), ("fire/fires.py", "simulate")
TRAIN, PREDICT = ("fire/learning.py", "train"), ("fire/learning.py", "predict")


def same(verb, function, members, texts=()):
    """Rows of members that are called the same everywhere, but for _ and -."""
    return [(name, value, texts.get(name) if texts else None, (verb, name.replace("_", "-")),
             (function, name, value)) for name, value in members]


TABLE.update({
    "zm_physics_opts ZM_PHYSICS_OPTS_INIT": [
        ("crown", 1, "finney", ("fire physics", "crown"),
         (PHYSICS, "crown", "finney")),
        ("conditioning", 1, None, ("fire physics", "constant-moisture"),
         (PHYSICS, "constant_moisture", False)),
        ("foliar_moisture", 100, "100", ("fire physics", "foliar-moisture"),
         (PHYSICS, "foliar_moisture", 100)),
        ("acceleration", 0.8, None, None, None),
        ("smoothing", 0.5, None, None, None),
        ("hindrance", 6, None, None, None),
        ("enclosed", 4, None, None, None),
        ("moisture_classes", 1, None, ("fire physics", "cell-moisture"),
         (PHYSICS, "cell_moisture", False)),
        ("front", 0, "travel-time", ("fire physics", "front"), (PHYSICS, "front", "travel-time")),
    ],
    "zm_spotting_opts ZM_SPOTTING_OPTS_INIT": [
        ("probability", 0, "0", ("fire physics", "spotting"), (PHYSICS, "spotting", None)),
        ("from", 3, "both", ("fire physics", "embers-from"), None),
        ("embers", 100, "100", ("fire physics", "embers"), None),
        ("species", 4, "ponderosa-pine", ("fire physics", "tree-species"), None),
        ("diameter", 30, "30", ("fire physics", "tree-diameter"), None),
        ("trees", 5, "5", ("fire physics", "torching-trees"), None),
        ("delay", 2, "2", ("fire physics", "spot-delay"), None),
        ("seed", 1, "1", ("fire physics", "embers-seed"), None),
    ],
    "zm_ways_opts ZM_WAYS_OPTS_INIT": [
        ("interval", 3, "3", ("fire physics", "ways-interval"), (WAYS, "interval", 3)),
        ("least", 0.02, "0.02", ("fire physics", "ways-share"), (WAYS, "share", 0.02)),
    ],
    "zm_ensemble_opts ZM_ENSEMBLE_OPTS_INIT": [
        ("ignition", 0, "0", ("fire ensemble", "ignition"), (ENSEMBLE, "ignition_radius", 0)),
        *same("fire ensemble", ENSEMBLE, (
            ("members", 100), ("threads", 1), ("seed", 1), ("wind_speed", 0.2), ("wind_dir", 15),
            ("temperature", 2), ("humidity", 5), ("moisture", 1), ("live_moisture", 0.1),
            ("rate", 0.2)), {
                "members": "100", "threads": "1", "seed": "1", "wind_speed": "0.2",
                "wind_dir": "15", "temperature": "2", "humidity": "5", "moisture": "1",
                "live_moisture": "0.1", "rate": "0.2"}),
    ],
    "zm_calibrate_opts ZM_CALIBRATE_OPTS_INIT": [
        ("max_iterations", 30, None, None, (CALIBRATE, "max_iterations", 30)),
        ("outlier", 0.05, None, None, (CALIBRATE, "outlier", 0.05)),
        ("fit_fuels", 1, None, ("fire calibrate", "no-fuels"), (CALIBRATE, "fit_fuels", True)),
        ("fit_wind", 1, None, ("fire calibrate", "no-wind"), (CALIBRATE, "fit_wind", True)),
        ("fit_moisture", 1, None, ("fire calibrate", "no-moisture"),
         (CALIBRATE, "fit_moisture", True)),
        ("fit_rate", 0, None, ("fire calibrate", "rate"), (CALIBRATE, "fit_rate", False)),
        ("least_share", -1, None, ("fire calibrate", "least-share"),
         (CALIBRATE, "least_share", None)),
        *same("fire calibrate", CALIBRATE, (
            ("threads", 1), ("least_cells", 50), ("fuel_spread", 1), ("wind_spread", 0.5),
            ("moisture_spread", 3), ("rate_spread", 1)), {
                "least_cells": "50", "fuel_spread": "1", "wind_spread": "0.5",
                "moisture_spread": "3", "rate_spread": "1"}),
    ],
    "zm_simulate_opts ZM_SIMULATE_OPTS_INIT": [
        ("rows", 200, None, ("fire simulate", "shape"), (SIMULATE, "shape", (200, 200))),
        ("cols", 200, None, None, None),
        *same("fire simulate", SIMULATE, (("seed", 1), ("cell", 30), ("fires", 6), ("finer", 2)))
    ],
    "zm_predict_opts ZM_PREDICT_OPTS_INIT": [
        ("t_max", INF, "inf", ("fire predict", "t-max"), (PREDICT, "t_max", None)),
        ("threads", 1, "1", ("fire predict", "threads"), (PREDICT, "threads", 1)),
    ],
    "zm_model_opts ZM_MODEL_OPTS_INIT": [
        ("form", 1, "multiplicative", ("fire train", "form"), (TRAIN, "form", None)),
        ("seed", 1, "1", ("fire train", "seed"), (TRAIN, "seed", 1)),
        ("rate", 60, None, ("fire train", "spread"), (TRAIN, "spread", None)),
        ("layers", -1, None, ("fire train", "layers"), (TRAIN, "layers", None)),
        ("channels", 0, None, ("fire train", "channels"), (TRAIN, "channels", None)),
        ("hidden", 0, None, ("fire train", "hidden"), (TRAIN, "hidden", None)),
        ("hourly", 1, None, ("fire train", "mean-weather"), (TRAIN, "mean_weather", False)),
        ("prior", 1, None, ("fire train", "no-prior"), (TRAIN, "prior", True)),
        ("alpha", 0.5, None, None, None),
        ("stencils", 0, "fixed", ("fire train", "stencils"), (TRAIN, "stencils", "fixed")),
        ("front", 0, None, ("fire train", "front"), (TRAIN, "front", "travel-time")),
    ],
    "zm_train_opts ZM_TRAIN_OPTS_INIT": [
        # what suits the form of the model is None in Python
        *((name, value, None, ("fire train", name.replace("_", "-")), (TRAIN, name, None))
          for name, value in (("rate", 2e-3), ("batch", 8), ("plateau", 6), ("average", 0.99),
                              ("warm_up", 0), ("shrink", 0))),
        *same("fire train", TRAIN, (
            ("tv_metric", 0), ("tv_drift", 0), ("clip", 1), ("epochs", 200), ("patience", 20),
            ("seed", 1), ("threads", 1)), {
                "tv_metric": "0", "tv_drift": "0", "clip": "1", "epochs": "200",
                "patience": "20", "seed": "1", "threads": "1"}),
        ("score", 0, "both", ("fire train", "score"), (TRAIN, "score", "both")),
        ("band_width", 0, None, ("fire train", "bands"), (TRAIN, "bands", None)),
        ("band_stride", 0.25, None, None, None),
        ("resume", 0, None, ("fire train", "resume"), (TRAIN, "resume", False)),
    ],
})
ROWS = [(struct, *row) for struct, rows in TABLE.items() for row in rows]

# Members that are no options of a run: memory, callbacks, options that have a struct of their own, sizes of batches, machine code, and
# what problems with time intervals keep.
NO_OPTION = {"size", "mem", "batch", "isa", "reach", "metric_bytes", "progress", "progress_ctx",
             "monitor", "monitor_ctx", "spotting", "targets", "walls", "loss", "model_path", "state_path", "note"}


def members_of(struct):
    """Names of the members of a public struct, in their order."""
    text = "".join(p.read_text() for p in sorted((ROOT / "include/zermelo").rglob("*.h")))
    body = re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (struct, struct), text, re.S).group(1)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    body = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", body)  # a pointer to a function
    names = []
    for declaration in body.split(";"):
        names += re.findall(r"(\w+)\s*(?:,|$)", declaration.strip())
    return names


def c_defaults():
    """(struct, member) -> number, from the _INIT macros; None without a compiler."""
    cc = os.environ.get("CC", "cc")
    if not shutil.which(cc.split()[0]):
        return None
    lines = ["#include <stdio.h>", '#include "zermelo/zermelo.h"',
             *(f'#include "zermelo/fire/{name}.h"' for name in (
                 "physics", "ensemble", "calibrate", "dataset", "learn", "ways")), "int main(void) {"]
    for pair in TABLE:
        struct, init = pair.split()
        lines.append(f"const {struct} {struct}_ = {init};")
        lines += [f'printf("{pair}.{row[0]} %.17g\\n", (double){struct}_.{row[0]});'
                  for row in TABLE[pair]]
    with tempfile.TemporaryDirectory() as folder:
        source, program = f"{folder}/d.c", f"{folder}/d"
        with open(source, "w", encoding="ascii") as file:
            file.write("\n".join([*lines, "return 0; }\n"]))
        subprocess.run([*cc.split(), "-std=c17", f"-I{ROOT / 'include'}", source, "-o", program],
                       check=True)
        out = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {tuple(line.rsplit(" ", 1)[0].rsplit(".", 1)): float(line.rsplit(" ", 1)[1])
            for line in out.splitlines()}


def paragraphs(verb):
    """Option -> what the help says about it, on one line."""
    text = subprocess.run([TOOL, *verb.split(), "--help"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^  --([a-z-]+)(.*(?:\n {10,}.*)*)", text, re.M)
    return {name: " ".join(rest.split()) for name, rest in found}


def there(verb):
    """Whether the tool has it: verbs about fires need GDAL, and learning oneDNN."""
    return not verb.startswith("fire ") or HAS_FIRE and subprocess.run(
        [TOOL, *verb.split(), "--help"], capture_output=True).returncode == 0


def says(paragraph, default):
    """Whether the help of an option calls this its default."""
    word = re.escape(default)
    return re.search(rf"default:? {word}(?![\w.])"        # default 1
                     rf"|\b{word}, the default"           # adaptive, the default
                     rf"|\b{word}\b[^;,.]*?\bdefault\)"   # tv: few jumps (default); auto (...; default)
                     rf"|\b{word} \([^)]*; default\)", paragraph)


def signature(file, function):
    """Keyword -> default of the last definition of a function or method."""
    tree = ast.parse((ROOT / "python/zermelo" / file).read_text())
    node = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == function][-1]
    ordinary = node.args.args[len(node.args.args) - len(node.args.defaults):]
    pairs = [*zip(ordinary, node.args.defaults), *zip(node.args.kwonlyargs, node.args.kw_defaults)]
    value = lambda d: INF if ast.unparse(d) == "math.inf" else ast.literal_eval(d)
    return {a.arg: value(d) for a, d in pairs if d is not None}


class Defaults(unittest.TestCase):
    def test_c(self):
        found = c_defaults()
        if found is None:
            self.skipTest("no C compiler")
        for struct, member, value, *_ in ROWS:
            with self.subTest(struct=struct, member=member):
                self.assertEqual(found[struct, member], value)

    def test_tool(self):
        helps = {verb: paragraphs(verb) for verb in {row[4][0] for row in ROWS if row[4]}
                 if there(verb)}
        for struct, member, _, text, option, _ in ROWS:
            if option is None or option[0] not in helps:
                continue
            with self.subTest(option=option):
                verb, name = option
                self.assertIn(name, helps[verb])
                if text is not None:
                    self.assertTrue(says(helps[verb][name], text),
                                    f"{helps[verb][name]!r} does not say that {text} is the default")

    def test_python(self):
        for struct, member, *_, keyword in ROWS:
            if keyword is None:
                continue
            with self.subTest(member=member):
                where, name, value = keyword
                self.assertEqual(signature(*where)[name], value)

    def test_torch_is_as_numpy(self):
        own, numpy = signature("torch/_solve.py", "solve"), signature("_solve.py", "solve")
        self.assertEqual(own.pop("nonfinite"), "propagate")  # torch's habit; NumPy refuses
        for name in own:
            with self.subTest(name=name):
                self.assertEqual(own[name], numpy[name])

    def test_no_option_is_left_out(self):
        """A new member of a struct gets a row above, or is named as no option."""
        for pair, rows in TABLE.items():
            with self.subTest(struct=pair):
                self.assertEqual({row[0] for row in rows} | (NO_OPTION & set(members_of(pair.split()[0]))),
                                 set(members_of(pair.split()[0])))

    def test_words_are_the_same(self):
        """Choices of the tool are those of Python, where both have the option."""
        tree = ast.parse((ROOT / "python/zermelo/_invert.py").read_text())
        lists = {n.targets[0].id: ast.literal_eval(n.value.slice) for n in tree.body
                 if isinstance(n, ast.Assign) and ast.unparse(n.value).startswith("Literal[")}
        for option, name in (("unknown", "Unknown"), ("misfit", "Misfit"),
                             ("regulariser", "Regulariser"), ("method", "Method")):
            told = subprocess.run([TOOL, "invert", f"--{option}", "?"], capture_output=True,
                                  text=True).stderr
            words = re.search(r"needs (.*), not '\?'", told).group(1)
            with self.subTest(option=option):
                self.assertEqual(set(re.split(", | or ", words)), set(lists[name]))

    def test_words_of_fires_are_the_same(self):
        lists = {}
        for file in "fire/burning.py", "fire/learning.py":
            tree = ast.parse((ROOT / "python/zermelo" / file).read_text())
            lists.update({n.targets[0].id: ast.literal_eval(n.value.slice) for n in tree.body
                          if isinstance(n, ast.Assign) and ast.unparse(n.value).startswith("Literal[")})
        if not there("fire train"):
            self.skipTest("this tool has no zermelo fire train")
        for option, name in (("front", "Front"), ("form", "Form"), ("loss", "Loss"),
                             ("score", "ScoreWord"), ("stencils", "Stencils")):
            told = subprocess.run([TOOL, "fire", "train", f"--{option}", "?"], capture_output=True,
                                  text=True).stderr
            words = re.search(r"needs (.*), not '\?'", told).group(1)
            with self.subTest(option=option):
                self.assertEqual(set(re.split(", | or ", words)), set(lists[name]))
        for option, name in ("crown", "Crown"), ("emulate", "Emulate"):
            told = subprocess.run([TOOL, "fire", "physics", f"--{option}", "?"],
                                  capture_output=True, text=True).stderr
            words = re.search(r"needs (.*), not '\?'", told).group(1)
            with self.subTest(option=option):
                self.assertEqual(set(re.split(", | or ", words)), set(lists[name]))

    def test_functions_of_fires_have_the_same_defaults(self):
        """What several of them take is the same in each."""
        of_physics = signature(*PHYSICS)
        for function in ENSEMBLE, CALIBRATE, PREDICT:
            own = signature(*function)
            for name in set(own) & set(of_physics):
                with self.subTest(function=function, name=name):
                    self.assertEqual(own[name], of_physics[name])


if __name__ == "__main__":
    main()
