# SPDX-License-Identifier: Apache-2.0
"""zermelo view: what is in the files is in the page, bit for bit, and nothing else gets in."""
import json
import os
import shlex
import subprocess
import unittest

from _page import Page
from _tool import HAS_FIRE, HAS_VIEW, TOOL, ToolTest, main, np, smooth_problem, user_who_cannot_write

HOSTILE = "</script><script>alert('1')</script>&\"'<!--"


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@unittest.skipUnless(HAS_VIEW, "built without zermelo-view")
class Arrays(ToolTest):
    def setUp(self):
        super().setUp()
        self.G, self.b = smooth_problem(30, 40)
        self.save("G.npy", self.G)
        self.save("b.npy", self.b)
        self.T, _ = self.solve("--metric", "G.npy", "--drift", "b.npy", "--source", "12,7")

    def view(self, *args, status=0, **more):
        return self.zermelo("view", *args, "--out", "p.html", status=status, **more)

    def page(self, *args):
        self.view(*args, "--quiet")
        return Page(self.dir / "p.html")

    def test_times_come_back_bit_for_bit_in_both_types(self):
        for dtype in np.float64, np.float32:
            T = self.T.astype(dtype)
            T[3, 4] = np.inf
            page = self.page(self.save("t.npy", T))
            self.assertEqual(page.roles(), ["times"])
            self.assertTrue(same_bits(page.field(0)[0], T))
            self.assertEqual(page.facts["kind"], "grid")
            self.assertEqual(page.facts["shape"], [30, 40])
            self.assertNotIn("solve", page.facts)

    def test_a_page_with_a_metric_has_all_that_solves_the_same_times(self):
        """Solving again with what the page has, and nothing else, gives the same bits."""
        walls = np.zeros((30, 40), np.uint8)
        walls[5:20, 22] = 1
        self.save("w.npy", walls)
        for dtype in "float64", "float32":
            T, _ = self.solve("--metric", "G.npy", "--drift", "b.npy", "--walls", "w.npy", "--source",
                              "12,7", "--source", "25,30,1.5", "--spacing", "2,3", "--dtype", dtype)
            page = self.page("T.npy", "--metric", "G.npy", "--drift", "b.npy", "--walls", "w.npy",
                             "--spacing", "2,3", "--dtype", dtype)
            self.assertEqual(page.facts["spacing"], [3, 2])
            solve = page.facts["solve"]
            self.assertEqual(sorted(solve["sources"]), [[12, 7, 0], [25, 30, 1.5]])
            self.assertEqual((solve["precision"], solve["stencil"], solve["order"]),
                             ("f4" if dtype == "float32" else "f8", "adaptive", 1))
            for name, role in ("G", "metric"), ("b", "drift"), ("w", "obstacles"):
                array = page.one(role)
                self.save(f"{name}2.npy", array[0] if role == "obstacles" else array)
            sources = sum((["--source", ",".join(map(str, s))] for s in solve["sources"]), [])
            again, _ = self.solve("--metric", "G2.npy", "--drift", "b2.npy", "--walls", "w2.npy",
                                  "--spacing", "2,3", *sources)
            self.assertTrue(same_bits(again, T))

    def test_the_command_of_the_page_runs_and_gives_its_times(self):
        name = "G of 'me'; $(touch x) \\ .npy"
        self.save(name, self.G)
        page = self.page("T.npy", "--metric", name, "--drift", "b.npy", "--spacing", "0.1,0.3",
                         "--order", "2", "--factor", "all", "--periodic", "x", "--t-max", "9",
                         "--dtype", "float32")
        command = page.facts["command"]["solve"]
        words = shlex.split(command)
        self.assertEqual(words[:4], ["zermelo", "solve", "--metric", name])
        self.assertIn("--spacing 0.1,0.3 --order 2 --factor all --periodic x "
                      "--t-max 9 --dtype float32", command)
        self.zermelo(*words[1:], "--source", "12,7", "--out", "T2.npy", "--quiet")
        self.assertEqual(self.load("T2.npy").dtype, np.float32)
        self.assertEqual(page.facts["solve"]["t_max"], 9)
        self.assertEqual(page.facts["solve"]["periodic"], "x")
        fixed = self.page("T.npy", "--metric", "G.npy", "--stencils", "fixed").facts
        self.assertEqual(fixed["command"]["solve"], "zermelo solve --metric G.npy --stencils fixed")
        self.assertEqual(fixed["solve"]["stencil"], "fixed")

    def test_what_arrays_are_is_told_by_their_contents(self):
        self.zermelo("gradient", "--metric", "G.npy", "--drift", "b.npy", "--source", "12,7",
                     "--cotangent", self.save("c.npy", np.ones_like(self.T)), "--out-metric", "dG.npy",
                     "--quiet")
        run = self.view("T.npy", "G.npy", "dG.npy", "--drift", "b.npy", "--gradient", "b.npy",
                        self.save("r.npy", np.abs(self.T) + 1), self.save("m.npy", self.T > 2))
        page = Page(self.dir / "p.html")
        self.assertEqual(page.roles(), ["times", "signed", "signed", "signed", "map", "map",
                                        "signed", "signed", "metric", "drift"])
        self.assertTrue(same_bits(page.field(2)[0], self.load("dG.npy")[1]))
        self.assertEqual(page.fields[2]["label"], "dG.npy [1]")
        for line in ("T.npy: arrival times", "G.npy: the metric", "dG.npy [0]: a gradient",
                     "r.npy: a map", "first 12,7; --source tells otherwise"):
            self.assertIn(line, run.stderr)

    def test_options_tell_otherwise(self):
        page = self.page("--map", "T.npy", "--times", "G.npy", "--gradient", "T.npy")
        self.assertEqual(page.roles(), ["times"] * 3 + ["map", "signed"])

    def test_the_report_says_what_was_taken_for_what(self):
        run = self.zermelo("view", "T.npy", "--out", "p.html", "--json", "-", "--quiet")
        report = json.loads(run.stdout)
        self.assertEqual(report["fields"], [{"from": "T.npy", "as": "arrival times"}])
        self.assertEqual(report["bytes"], (self.dir / "p.html").stat().st_size)
        self.assertEqual(run.stderr, "")

    def test_words_are_shown_as_they_are(self):
        page = self.page("T.npy", "--title", "Wind \N{SNOWMAN}", "--unit-time", "\N{GREEK SMALL LETTER MU}s",
                         "--unit-length", "km", "--colormap", "cividis")
        self.assertEqual(page.title, "Wind \N{SNOWMAN}")
        self.assertEqual(page.facts["units"], {"time": "\N{GREEK SMALL LETTER MU}s", "length": "km"})
        self.assertEqual(page.facts["colormap"], "cividis")
        self.assertEqual(self.page("T.npy").title, "T.npy")

    def test_hostile_titles_and_names_stay_texts(self):
        plain = self.page("T.npy")
        name = HOSTILE.replace("/", "\N{DIVISION SLASH}") + ".npy"
        self.save(name, self.T)
        page = self.page(name, "--title", HOSTILE, "--unit-time", HOSTILE, "--unit-length", HOSTILE)
        self.assertEqual(page.title, HOSTILE)
        self.assertEqual(page.facts["title"], HOSTILE)
        self.assertEqual(page.fields[0]["name"], name)
        self.assertEqual(page.reader.scripts, plain.reader.scripts)
        self.assertEqual(page.reader.odd, plain.reader.odd)
        self.assertEqual(page.text.count("<"), plain.text.count("<"))

    def test_names_that_are_no_text_are_shown_with_replacements(self):
        name = os.fsencode(self.dir) + b"/a\xff\x1bz.npy"
        os.rename(self.dir / "T.npy", name)
        run = subprocess.run([TOOL, "view", name, "--out", "p.html", "--quiet"], cwd=self.dir,
                             capture_output=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        page = Page(self.dir / "p.html")
        self.assertEqual(page.fields[0]["name"], "a\ufffd\x1bz.npy")
        self.assertEqual(page.title, "a\ufffd z.npy")

    def test_the_solver_is_a_module_and_the_page_asks_for_nothing(self):
        page = self.page("T.npy")
        self.assertEqual(page.bytes_of("wasm")[:4], b"\0asm")
        self.assertEqual(page.reader.odd, [])
        self.assertIn("default-src 'none'", page.reader.policy)
        self.assertIn("connect-src 'none'", page.reader.policy)

    def test_a_pipe_gets_the_same_bytes(self):
        self.view("T.npy")
        run = subprocess.run([TOOL, "view", "T.npy", "--out", "-", "--quiet"], cwd=self.dir,
                             capture_output=True, check=True)
        self.assertEqual(run.stdout, (self.dir / "p.html").read_bytes())

    # ---- what is refused ----

    def test_what_could_be_two_things_is_refused_with_both(self):
        self.refuses(2, "a drift or a gradient with respect to one; give it as --drift b.npy or "
                        "--gradient b.npy", "view", "b.npy", "--out", "p.html")
        self.save("H.npy", self.G)
        self.refuses(2, "G.npy and H.npy are both metrics", "view", "G.npy", "H.npy", "--source",
                     "1,1", "--out", "p.html")

    def test_grids_must_agree(self):
        self.save("S.npy", self.T[:, 1:])
        for args in (("T.npy", "S.npy"), ("S.npy", "--metric", "G.npy")):
            self.refuses(1, "a page shows one grid", "view", *args, "--out", "p.html", "--quiet")
        self.refuses(1, "must be (2, 30, 40) to fit the grid", "view", "T.npy", "--metric", "G.npy",
                     "--drift", self.save("c.npy", self.b[:, 1:]), "--out", "p.html", "--quiet")
        self.assertNotIn("p.html", self.files())

    def test_wrong_files_are_refused(self):
        (self.dir / "text.txt").write_text("hello")
        (self.dir / "cut.npy").write_bytes((self.dir / "T.npy").read_bytes()[:200])
        (self.dir / "folder").mkdir()
        (self.dir / "report.json").write_text('{"verb": "solve"}')
        self.save("line.npy", np.zeros(7))
        self.save("bad.npy", -self.G)
        for name, says in (("text.txt", "text.txt"), ("cut.npy", "cut.npy"), ("folder", "folder"),
                           ("none.npy", "none.npy"),
                           ("line.npy", "(rows, cols)")):
            self.refuses(1, says, "view", name, "--out", "p.html")
        self.refuses(1, "metric not positive definite", "view", "T.npy", "--metric", "bad.npy", "--out",
                     "p.html", "--quiet")
        self.refuses(*((2, "report.json alone has no map") if HAS_FIRE else (1, "need GDAL")), "view", "report.json", "--out", "p.html")
        self.refuses(2, "nothing to view", "view", "--out", "p.html")
        self.refuses(2, "no source", "view", "--metric", "G.npy", "--out", "p.html")
        self.refuses(2, "add --metric", "view", "T.npy", "--drift", "b.npy", "--out", "p.html")
        self.refuses(2, "--out names the input", "view", "T.npy", "--out", "T.npy")
        self.refuses(2, "only once", "view", "/dev/stdin", "--out", "p.html")
        self.refuses(2, "--colormap needs viridis, magma, cividis or fire", "view", "T.npy", "--out",
                     "p.html", "--colormap", "jet")
        self.assertNotIn("p.html", self.files())

    def test_a_page_beyond_the_limit_says_why_and_what_to_do(self):
        noise = np.random.default_rng(1).random((400, 500))
        run = self.zermelo("view", self.save("n.npy", noise), "--out", "p.html", "--limit", "1M",
                           "--quiet", status=1)
        self.assertIn("n.npy would have more than 1 MB", run.stderr)
        self.assertIn("float32, or raise the limit", run.stderr)
        self.assertNotIn("p.html", self.files())
        self.view("n.npy", "--limit", "4M")

    def test_a_failure_leaves_the_old_page(self):
        self.view("T.npy")
        before = (self.dir / "p.html").read_bytes()
        self.refuses(1, "cut.npy", "view", "T.npy", "cut.npy", "--out", "p.html", "--quiet")
        self.assertEqual((self.dir / "p.html").read_bytes(), before)
        run = self.zermelo("view", "T.npy", "--out", "/dev/full", "--quiet", status=1)
        self.assertIn("No space left", run.stderr)

    def test_a_folder_without_permission_is_told(self):
        user = user_who_cannot_write(self)
        (self.dir / "closed").mkdir(mode=0o755)
        os.chmod(self.dir, 0o755)
        run = self.zermelo("view", "T.npy", "--out", "closed/p.html", "--quiet", status=1, **user)
        self.assertIn("closed", run.stderr)

    def test_pages_written_at_the_same_time_are_whole(self):
        """Each is renamed into place, so the last one counts and none is mixed."""
        self.save("U.npy", self.T + np.inf)
        names = ["T.npy", "G.npy"] * 3
        runs = [self.start("view", "--map", name, "--out", "p.html", "--quiet") for name in names]
        for run in runs:
            run.communicate(timeout=60)
            self.assertEqual(run.returncode, 0)
        page = Page(self.dir / "p.html")
        self.assertIn(page.fields[0]["name"], names)
        self.assertEqual([name for name in self.files() if "p.html" in name], ["p.html"])

    def test_a_locale_with_a_comma_changes_no_byte(self):
        self.view("T.npy", "--metric", "G.npy", "--spacing", "0.5")
        before = (self.dir / "p.html").read_bytes()
        locales = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
        comma = [name for name in locales if name.startswith(("de_", "fr_", "pt_"))]
        if not comma:
            self.skipTest("no locale with a decimal comma")
        self.view("T.npy", "--metric", "G.npy", "--spacing", "0.5",
                  env={**os.environ, "LC_ALL": comma[0]})
        self.assertEqual((self.dir / "p.html").read_bytes(), before)


if __name__ == "__main__":
    main()
