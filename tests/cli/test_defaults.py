# SPDX-License-Identifier: Apache-2.0
"""An option has one name and one default in C, in the tool and in Python."""
import ast
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from _tool import ROOT, TOOL, main

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
        ("factor_radius", -1, "none, with --order 2 all", ("solve", "factor"),
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
        for name, value in (("eig_min", 1e-6), ("eig_max", INF), ("rho", 0.99))
    ],
    "zm_convert_opts ZM_CONVERT_OPTS_INIT": [
        ("convention", 0, "compass", ("convert", "convention"),
         (("_convert.py", "to_fire_ellipse"), "convention", "compass")),
        ("tilt", 1e-3, "0.001", ("convert", "tilt"),
         (("_convert.py", "to_fire_ellipse"), "tilt", 1e-3)),
    ],
}
ROWS = [(struct, *row) for struct, rows in TABLE.items() for row in rows]

# Members that are no options of a run: memory, callbacks, sizes of batches, machine code, and
# what problems with time intervals keep.
NO_OPTION = {"size", "mem", "batch", "isa", "reach", "metric_bytes", "progress", "progress_ctx",
             "monitor", "monitor_ctx", "targets", "walls"}


def members_of(struct):
    """Names of the members of a public struct, in their order."""
    text = "".join(p.read_text() for p in sorted((ROOT / "include/zermelo").glob("*.h")))
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
    lines = ["#include <stdio.h>", '#include "zermelo/zermelo.h"', "int main(void) {"]
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
    text = subprocess.run([TOOL, verb, "--help"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^  --([a-z-]+)(.*(?:\n {10,}.*)*)", text, re.M)
    return {name: " ".join(rest.split()) for name, rest in found}


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
        helps = {verb: paragraphs(verb) for verb in {row[4][0] for row in ROWS if row[4]}}
        for struct, member, _, text, option, _ in ROWS:
            if option is None:
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
        own, numpy = signature("torch.py", "solve"), signature("_solve.py", "solve")
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


if __name__ == "__main__":
    main()
