# SPDX-License-Identifier: Apache-2.0
"""zermelo reproduce runs the paper's experiments and reports them."""
import base64
import html.parser
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ET

from _tool import (ROOT, TOOL, VERBS, ToolTest, main, np, stop_ignoring_signals,
                   user_who_cannot_write)

if "reproduce" not in VERBS:
    print("skipped: built without Cairo, so there is no reproduce")
    sys.exit(77)

# What of the paper the experiments must show.  It has no S16, C4 and C6.
OF_THE_PAPER = {*(f"Table {n}" for n in (1, 2, 10)), "Figure 3",
                *(f"Figure A{n}" for n in range(1, 10)),
                *(f"Figure S{n}" for n in (*range(10, 16), 17, 18)),
                *(f"Figure D{n}" for n in range(1, 7))}
ON_INVERSION = {"Table 3", "Figure E3", "Figure E4",
                *(f"Figure C{n}" for n in (1, 2, 3, 5, *range(7, 12)))}
ON_EFFICIENCY = {"Table 11", "Figure 4", "Figure 5", "Figure E1", "Figure E2", "Figure E5"}
# Sanitizers make the times of group "Efficiency" meaningless and inversions slow: these few
# stand for them there.
INVERSIONS_SANITIZED = {"recover-isotropic", "recover-sparse", "optimiser-comparison"}
SANITIZED = any(mark in pathlib.Path(TOOL).read_bytes() for mark in (b"__asan_", b"__tsan_"))
KEYS = {"experiment": str, "reference": str, "quantity": str, "unit": str,
        "paper": (int, float, type(None)), "ours": (int, float, type(None)), "better": str,
        "verdict": str, "seconds": (int, float)}
# Experiments that take little time and have no times among their results.
CERTAIN = ("isotropic", "drift", "wind")
RANDOM = ("patches", "stability")
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
        "track", "wbr"}


def listed():
    """Names of all experiments, and the groups they are in."""
    text = subprocess.run([TOOL, "reproduce", "--list"], capture_output=True, text=True,
                          check=True).stdout
    names, group = {}, ""
    for line in text.splitlines():
        if re.match(r"\S", line):
            group = line
        elif name := re.match(r"  ([a-z0-9-]+) +\S", line):
            names[name[1]] = group
    return names


class Page(html.parser.HTMLParser):
    """What is in a page; insists that every tag is closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags, self.data = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append(tag)
        self.links += [attrs[name] for name in ("href", "src", "srcset") if name in attrs]
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data):
        self.data.append(data)


class Report:
    """The files of a run."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.rows = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        self.html = (self.folder / "index.html").read_text(encoding="utf-8")
        self.page = Page(self.html)

    def experiments(self):
        return list(dict.fromkeys(row["experiment"] for row in self.rows))

    def ours(self, names):
        return {(row["experiment"], row["quantity"]): row["ours"] for row in self.rows
                if row["experiment"] in names}


class Everything(unittest.TestCase):
    """All experiments, run once."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="zermelo-cli-")
        cls.addClassCleanup(folder.cleanup)
        cls.dir = pathlib.Path(folder.name)
        cls.names = listed()
        if SANITIZED:
            cls.names = {n: group for n, group in cls.names.items()
                         if group not in ("Efficiency", "Inverse problem")
                         or n in INVERSIONS_SANITIZED}
        chosen = cls.names if SANITIZED else ()  # no name: all
        cls.run_of_all = subprocess.run([TOOL, "reproduce", "--quick", "--out", "new/report",
                                         *chosen], cwd=cls.dir, capture_output=True, text=True)
        cls.report = Report(cls.dir / "new/report")

    def test_succeeds_and_tells_what_it_did(self):
        run = self.run_of_all
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("new/report/index.html", run.stdout)
        for i, name in enumerate(self.names, 1):
            self.assertRegex(run.stderr, rf"(?m)^{i}/{len(self.names)} {name} +\d+ rows, \d+ fig")

    def test_every_experiment_has_rows_in_the_order_of_the_list(self):
        self.assertEqual(self.report.experiments(), list(self.names))

    def test_rows_have_the_documented_keys_and_types(self):
        for row in self.report.rows:
            self.assertEqual(set(row), set(KEYS))
            for key, kind in KEYS.items():
                self.assertIsInstance(row[key], kind, row)
            self.assertTrue(row["quantity"])
            self.assertGreaterEqual(row["seconds"], 0)
            self.assertIn(row["better"], ("lower", "higher", "equal", "neither"))
            self.assertIn(row["verdict"], ("", "better", "same", "worse"))

    def test_every_number_is_one(self):
        for row in self.report.rows:
            self.assertIsNotNone(row["ours"], row)  # null: not finite

    def test_quantities_of_an_experiment_have_different_names(self):
        names = [(row["experiment"], row["reference"], row["quantity"], row["unit"])
                 for row in self.report.rows]
        twice = {name for name in names if names.count(name) > 1}
        self.assertEqual(twice, set())

    def test_verdicts_follow_from_the_numbers(self):
        seen = set()
        for row in self.report.rows:
            if row["paper"] is None or row["better"] == "neither":
                self.assertEqual(row["verdict"], "", row)
                continue
            gain = row["paper"] - row["ours"]
            if row["better"] == "higher":
                gain = -gain
            seen.add(row["verdict"])
            if row["verdict"] == "better":
                self.assertGreaterEqual(gain, 0, row)
            elif row["verdict"] == "worse" and row["better"] != "equal":
                self.assertLess(gain, 0, row)
            elif row["verdict"] == "same":  # to the last digit printed: at most half of it
                self.assertLessEqual(abs(gain), 0.5 * abs(row["paper"]), row)
        self.assertLessEqual({"better", "same"}, seen)

    def test_ranges_of_the_paper_are_not_one_number(self):
        rows = [row for row in self.report.rows if "iterations of Algorithm 1" in row["quantity"]
                and row["experiment"] == "iterations"]
        self.assertTrue(rows)
        self.assertEqual({row["paper"] for row in rows}, {None})
        self.assertIn("<td class=n>2–3</td>", self.report.html)

    def test_second_order_is_second_order(self):
        """In a varying medium with drift, and far below the error of the paper's scheme."""
        ours = self.report.ours(["accurate"])
        error = "relative L2, mild medium, {}, N = 201"
        second = ours["accurate", error.format("second order, factored")]
        self.assertLess(second, 0.0052)  # %
        self.assertLess(50 * second, ours["accurate", error.format("Algorithm 1")])
        self.assertGreater(ours["accurate", "rate of the error, mild medium, second order, "
                                "factored"], 1.9)

    def test_adaptive_stencils_beat_the_eight_neighbours_where_it_matters(self):
        ours = self.report.ours(["anisotropy-map"])
        for norm in "relative L2", "largest |e|/T at the edge":
            for what in "speeds 1:16, worst turn", "drift 0.95, worst heading":
                fixed = ours["anisotropy-map", f"{what}, {norm}, eight neighbours"]
                adaptive = ours["anisotropy-map", f"{what}, {norm}, adaptive stencils"]
                self.assertLess(adaptive, fixed, f"{what}, {norm}")

    def test_no_accuracy_is_worse_than_the_papers(self):
        for row in self.report.rows:
            is_time = (row["unit"] in ("ms", "s") or "time" in row["quantity"] or
                       self.names[row["experiment"]] == "Efficiency")
            self.assertTrue(is_time or row["verdict"] != "worse", row)

    def test_what_is_exact_is_exact(self):
        """Rows that must vanish to rounding: symmetries, closed forms, fixed points."""
        exact = {("wind", "largest error of the difference against −b·(x − x₀)"),
                 ("terrain", "largest difference between mirror images over largest T"),
                 ("patches", "largest relative residual of the discrete equation"),
                 ("patches", "largest difference from Algorithm 1 over largest T"),
                 ("combined-scenario", "largest difference from Algorithm 1 over largest T"),
                 ("wavefront", "relative L2, even ground, factored eikonal")}
        ours = self.report.ours(self.names)
        for name in exact:
            self.assertLess(ours[name], 1e-11, name)

    def test_every_figure_and_table_of_the_paper_is_there(self):
        found = set(re.findall(r"(?:Figure|Table) [A-Z]?\d+",
                               " ".join(row["reference"] for row in self.report.rows)))
        wanted = OF_THE_PAPER if SANITIZED else OF_THE_PAPER | ON_INVERSION | ON_EFFICIENCY
        self.assertEqual(wanted - found, set())

    def test_every_experiment_has_figures_in_png_and_svg(self):
        for name in self.names:
            folder = self.report.folder / name
            pictures = sorted(folder.glob("*.png"))
            self.assertTrue(pictures, name)
            for png in pictures:
                self.assertEqual(png.read_bytes()[:8], b"\x89PNG\r\n\x1a\n", png)
                for svg in png.with_suffix(".svg"), png.with_name(f"{png.stem}-dark.svg"):
                    self.assertTrue(ET.parse(svg).getroot().tag.endswith("}svg"), svg)

    def test_arrays_are_finite_or_say_so(self):
        arrays = sorted(self.report.folder.rglob("*.npy"))
        self.assertGreater(len(arrays), 20)
        for path in arrays:
            array = np.load(path)
            self.assertEqual((array.ndim, array.dtype), (2, np.float64), path)
            self.assertTrue(np.isfinite(array).any(), path)

    def test_nothing_else_is_in_the_directory(self):
        folder = self.report.folder
        self.assertEqual({p.name for p in folder.iterdir()},
                         {*self.names, "results.json", "index.html"})
        kinds = {p.suffix for p in folder.glob("*/*")}
        self.assertEqual(kinds, {".npy", ".png", ".svg"})

    def test_the_page_has_every_experiment_row_and_figure(self):
        page = self.report.page
        self.assertEqual(page.ids, list(self.names))
        self.assertLessEqual({f"#{name}" for name in self.names}, set(page.links))
        self.assertEqual(page.tags.count("section"), len(self.names))
        headers = page.tags.count("thead")
        self.assertEqual(page.tags.count("tr") - headers, len(self.report.rows))
        words = " ".join(page.data)
        for row in self.report.rows:
            self.assertIn(row["quantity"], words)
        drawn = list(self.report.folder.glob("*/*.png"))
        self.assertEqual(page.tags.count("figure"), len(drawn))
        for svg in self.report.folder.glob("*/*.svg"):
            self.assertIn(base64.b64encode(svg.read_bytes()).decode(), self.report.html,
                          f"{svg} is not in the page")

    def test_the_page_needs_no_other_file(self):
        page = self.report.page
        for link in page.links:
            self.assertTrue(link.startswith(("#", "data:image/svg+xml;base64,")), link[:80])
            if link.startswith("#"):
                self.assertIn(link[1:], page.ids)
            else:
                svg = base64.b64decode(link.split(",", 1)[1]).decode()
                for target in re.findall(r'href\s*=\s*"([^"]*)"', svg):
                    self.assertTrue(target.startswith(("#", "data:")), target[:80])
                self.assertNotIn("<script", svg)
        self.assertEqual({"script", "link", "iframe", "object", "base"} & set(page.tags), set())
        for reaching_out in "url(", "@import", "http:", "https:":
            self.assertNotIn(reaching_out, re.sub(r"data:[^\"]*", "", self.report.html))

    def test_the_page_reads_well_anywhere(self):
        text = self.report.html
        self.assertTrue(text.startswith("<!doctype html>"))
        for need in ("<html lang=", "charset=utf-8", "width=device-width", "<title>",
                     "prefers-color-scheme:dark", "@media print"):
            self.assertIn(need, text)
        self.assertEqual(text.count("<img "), text.count("<img alt=\""))  # for screen readers

    def again(self, out, *args):
        """Another run of the experiments that take little time."""
        subprocess.run([TOOL, "reproduce", "--quick", "--quiet", "--out", out, *args, *CERTAIN,
                        *RANDOM], cwd=self.dir, check=True, capture_output=True)
        return Report(self.dir / out)

    def assertSameNumbers(self, one, other):
        """To 1e-9, or both rounding errors of numbers of order one."""
        self.assertEqual(set(one), set(other))
        for name, value in one.items():
            self.assertTrue(math.isclose(value, other[name], rel_tol=1e-9, abs_tol=1e-11),
                            f"{name}: {value} {other[name]}")

    def test_the_documentation_lists_every_experiment(self):
        page = (ROOT / "docs/reproduce.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.M), list(listed()))

    def test_the_same_numbers_whatever_the_number_of_threads(self):
        two = self.again("two", "--threads", "2")
        self.assertEqual(two.experiments(), [*CERTAIN, *RANDOM])
        self.assertSameNumbers(two.ours(CERTAIN + RANDOM), self.report.ours(CERTAIN + RANDOM))

    def test_the_seed_decides_what_is_random_and_nothing_else(self):
        first, other, again = (self.report, self.again("7", "--seed", "7"),
                               self.again("again", "--seed", "7"))
        self.assertEqual(first.ours(CERTAIN), other.ours(CERTAIN))
        self.assertEqual(other.ours(CERTAIN + RANDOM), again.ours(CERTAIN + RANDOM))
        for name in RANDOM:
            one, two = first.ours([name]), other.ours([name])
            self.assertTrue(any(abs(one[key] - two[key]) > 1e-6 * abs(one[key]) for key in one))
        self.assertFalse(np.array_equal(np.load(first.folder / "patches/T.npy"),
                                        np.load(other.folder / "patches/T.npy")))


class Runs(ToolTest):
    def reproduce(self, *args, out="out", status=0, **more):
        return self.zermelo("reproduce", "--quick", "--quiet", "--out", out, *args,
                            status=status, **more)

    def test_list_names_every_experiment_and_runs_none(self):
        text = self.zermelo("reproduce", "--list").stdout
        names = listed()
        self.assertLessEqual({*CERTAIN, *RANDOM}, set(names))
        for name, group in names.items():  # each with its group, title and place in the paper
            self.assertTrue(group)
            self.assertRegex(text, rf"(?m)^  {name} +\S.*\n {{10,}}\S")
        self.assertEqual(self.files(), [])

    def test_list_of_names_is_about_them_alone(self):
        text = self.zermelo("reproduce", "--list", "wind", "isotropic", "wind").stdout
        self.assertEqual(re.findall(r"(?m)^  ([a-z-]+) ", text), ["wind", "isotropic"])
        self.refuses(2, "did you mean wind?", "reproduce", "--list", "wnd")

    def test_an_experiment_named_twice_runs_once(self):
        self.reproduce("wind", "terrain", "wind")
        report = Report(self.dir / "out")
        self.assertEqual(report.page.ids, ["wind", "terrain"])
        self.assertEqual(report.experiments(), ["wind", "terrain"])

    def test_an_experiment_does_not_depend_on_those_before_it(self):
        self.reproduce("patches", out="alone")
        self.reproduce("terrain", "patches", out="after")
        np.testing.assert_array_equal(self.load("alone/patches/T.npy"),
                                      self.load("after/patches/T.npy"))

    def test_a_report_describes_its_own_run(self):
        self.reproduce("wind")
        self.reproduce("terrain")
        report = Report(self.dir / "out")
        self.assertEqual(report.experiments(), ["terrain"])
        self.assertEqual(report.page.ids, ["terrain"])
        self.assertTrue((self.dir / "out/wind/wind.png").exists())

    def test_quiet_says_where_the_report_is_and_nothing_else(self):
        run = self.reproduce("wind")
        self.assertEqual(run.stderr, "")
        self.assertEqual(run.stdout.count("\n"), 1)
        self.assertIn("out/index.html", run.stdout)

    def test_names_and_values_that_make_no_sense(self):
        self.refuses(2, "did you mean isotropic?", "reproduce", "isotropc", "--out", "out")
        self.refuses(2, "--list shows them", "reproduce", "zzzzzzzzzz", "--out", "out")
        self.refuses(2, "did you mean wind?", "reproduce", "terrain", "wnd", "--out", "out")
        self.refuses(2, "--seed", "reproduce", "wind", "--seed", "-1")
        self.refuses(2, "--threads", "reproduce", "wind", "--threads", "0")
        self.refuses(2, "--out", "reproduce", "wind", "--out", "")
        self.assertEqual(self.files(), [])

    def test_an_out_directory_that_is_a_file(self):
        (self.dir / "file").write_text("kept")
        for out in "file", "file/below":
            self.refuses(1, "--out", "reproduce", "wind", "--quick", "--out", out)
        self.assertEqual((self.dir / "file").read_text(), "kept")

    def test_a_read_only_out_directory(self):
        (self.dir / "out").mkdir()
        os.chmod(self.dir / "out", 0o555)
        os.chmod(self.dir, 0o755)
        run = self.reproduce("wind", status=1, **user_who_cannot_write(self))
        self.assertIn("Permission denied", run.stderr)
        self.assertEqual(os.listdir(self.dir / "out"), [])

    def test_one_experiment_that_fails_does_not_keep_the_others_from_the_report(self):
        (self.dir / "out").mkdir()
        (self.dir / "out/terrain").write_text("in the way")
        run = self.reproduce("wind", "terrain", "patches", status=1)
        self.assertRegex(run.stderr, "terrain: .*: Not a directory")
        self.assertIn("1 of 3 experiments failed", run.stderr)
        report = Report(self.dir / "out")
        self.assertLessEqual({"wind", "patches"}, set(report.experiments()))
        self.assertEqual(report.page.ids, ["wind", "terrain", "patches"])
        self.assertRegex(report.html, "Failed: .*: Not a directory")

    def test_a_figure_that_cannot_be_written_costs_the_others_nothing(self):
        (self.dir / "out/wind/wind-dark.svg").mkdir(parents=True)
        run = self.reproduce("wind", "terrain", status=1)
        self.assertRegex(run.stderr, "wind: .*: Is a directory")
        report = Report(self.dir / "out")
        self.assertEqual(report.page.tags.count("figure"), 1)
        self.assertRegex(report.html, "1 of 2 experiments")

    def test_interrupted_half_way_it_reports_what_was_finished(self):
        names = ("isotropic", "sensitivity", "combined-scenario")
        run = self.start("reproduce", *names, "--out", "out", preexec_fn=stop_ignoring_signals)
        for _ in range(1200):  # until the first is done; the second takes seconds
            if (self.dir / "out/results.json").exists():
                break
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 130, err)
        self.assertIn("hold what was finished", err)
        report = Report(self.dir / "out")
        self.assertEqual(report.experiments()[0], "isotropic")
        self.assertNotIn("combined-scenario", report.page.ids)
        self.assertRegex(report.html, rf"of {len(names)} experiments")
        self.assertEqual([p.name for p in (self.dir / "out").rglob("*") if "tmp" in p.name], [])


if __name__ == "__main__":
    main()
