# SPDX-License-Identifier: Apache-2.0
"""Files are written whole or not at all, whatever happens."""
import json
import os
import pathlib
import pty
import re
import select
import signal
import stat
import subprocess
import time

from _tool import TOOL, ToolTest, main, np, stop_ignoring_signals, user_who_cannot_write


def wait_until_catching(run, number):
    """Until the tool has its signal handlers; a loaded machine takes its time."""
    for _ in range(600):
        status = pathlib.Path(f"/proc/{run.pid}/status").read_text()
        caught = int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16)
        if caught >> (number - 1) & 1:
            break
        time.sleep(0.05)
    time.sleep(0.2)  # well into the work


class Files(ToolTest):
    def setUp(self):
        super().setUp()
        self.save("g.npy", np.ones((200, 200)))
        self.args = ("solve", "--metric", "g.npy", "--source", "1,1", "--quiet", "--out")
        self.forever = (*self.args, "T.npy", "--repeat", "1000000000")

    def test_broken_inputs_are_explained(self):
        whole = (self.dir / "g.npy").read_bytes()
        for name, data, says in (
                ("empty.npy", b"", "file ends inside"),
                ("text.npy", b"hello, world", "not an NPY file"),
                ("cut.npy", whole[:-1], "truncated"),
                ("long.npy", whole + b"x", "followed by something else")):
            (self.dir / name).write_bytes(data)
            self.refuses(1, says, "solve", "--metric", name, "--source", "1,1", "--out", "T.npy")
        np.save(self.dir / "o.npy", np.array([{}]), allow_pickle=True)
        self.save("c.npy", np.ones((3, 4, 5), complex))
        for name in "o.npy", "c.npy":
            self.refuses(1, "save floats", "solve", "--metric", name, "--source", "1,1", "--out",
                         "T.npy")
        self.refuses(1, "Is a directory", "solve", "--metric", ".", "--source", "1,1", "--out",
                     "T.npy")

    def test_sizes_are_checked_before_the_data_are_read(self):
        header = ("{'descr': '<f8', 'fortran_order': False, 'shape': (40000, 30000), }"
                  .ljust(117) + "\n").encode()
        with open(self.dir / "large.npy", "wb") as file:  # sparse: nothing of it is on the disk
            file.write(b"\x93NUMPY\x01\x00\x76\x00" + header)
            file.truncate(128 + 8 * 40000 * 30000)
        self.refuses(1, "must have 1 to 1073741823 cells", "solve", "--metric", "large.npy",
                     "--source", "1,1", "--out", "T.npy")
        os.environ["ZERMELO_READ_LIMIT"] = "100K"
        try:
            self.refuses(1, "the limit is 0.0001024 GB", *self.args, "T.npy")
            for wrong in "", "lots", "0", "1Q", "-1", "9" * 30:
                os.environ["ZERMELO_READ_LIMIT"] = wrong
                self.refuses(2, "must be a number of bytes", *self.args, "T.npy")
            os.environ["ZERMELO_READ_LIMIT"] = "1M"
            self.zermelo(*self.args, "T.npy")
        finally:
            del os.environ["ZERMELO_READ_LIMIT"]

    def test_devices_and_pipes_are_not_waited_for(self):
        os.mkfifo(self.dir / "pipe")
        for name in "pipe", "/dev/zero":
            self.refuses(1, "must be a regular file", "invert", "--observations", name, "--shape",
                         "9,9", "--source", "1,1", "--out-metric", "G.npy")
            self.refuses(1, "must be a regular file", "solve", "--metric", name, "--dtype",
                         "float64", "--source", "1,1", "--out", "T.npy")

    def test_names_cannot_command_the_terminal(self):
        self.refuses(1, "a?[2Jb.npy", "solve", "--metric", "a\033[2Jb.npy", "--source",
                     "1,1", "--out", "T.npy")

    def test_no_name_is_more_than_text_on_the_terminal_or_in_json(self):
        """Control characters, alone and in UTF-8, and bytes that are no UTF-8, on both outputs."""
        name = os.fsencode(self.dir) + b"/a\x1b[2J\n\x7f\x9b\xc2\x9b\xff\xe2\x82.npy"
        os.rename(os.fsencode(self.dir) + b"/g.npy", name)
        run = self.zermelo("info", os.fsdecode(name), "--json", "i.json")
        self.assertIn("/a?[2J????" + 4 * "?" + ".npy: ", run.stdout)
        facts = json.loads((self.dir / "i.json").read_bytes())
        self.assertTrue(facts["files"][0]["file"].endswith(
            "/a\x1b[2J\n\x7f\ufffd\x9b\ufffd\ufffd\ufffd.npy"))

    def test_outputs_that_cannot_be_written_are_refused_before_the_work(self):
        self.refuses(1, "directory no: No such file", *self.args, "no/T.npy")
        self.refuses(1, "Not a directory", *self.args, "g.npy/T.npy")
        self.refuses(1, "is a directory; name a file in it", *self.args, ".")
        self.refuses(1, "--json no/r.json cannot be written", *self.args, "T.npy", "--json",
                     "no/r.json")
        self.assertEqual(self.files(), ["g.npy"])

    def test_a_read_only_directory(self):
        (self.dir / "out").mkdir()
        os.chmod(self.dir / "out", 0o555)
        os.chmod(self.dir, 0o755)
        run = self.zermelo(*self.args, "out/T.npy", status=1,
                           **user_who_cannot_write(self))
        self.assertIn("Permission denied", run.stderr)
        self.assertEqual(os.listdir(self.dir / "out"), [])

    def test_a_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        self.refuses(1, "cannot write --out /dev/full: No space left", *self.args, "/dev/full")
        self.refuses(1, "cannot write --json /dev/full", *self.args, "T.npy", "--json", "/dev/full")
        with open("/dev/full", "w") as full:
            run = self.zermelo(*self.args, "T.npy", "--json", "-", status=1, stdout=full,
                               stderr=subprocess.PIPE)
            self.assertIn("standard output", run.stderr)
            self.zermelo("--help", status=1, stdout=full, stderr=subprocess.PIPE)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_a_closed_pipe_is_an_error_and_the_files_are_there(self):
        read, write = os.pipe()
        os.close(read)
        try:
            run = self.zermelo(*self.args, "T.npy", "--json", "-", status=1, stdout=write,
                               stderr=subprocess.PIPE)
        finally:
            os.close(write)
        self.assertIn("Broken pipe", run.stderr)
        self.assertEqual(self.load("T.npy").shape, (200, 200))

    def test_runs_at_the_same_time_do_not_mix(self):
        n = 6
        for i in range(n):
            self.save(f"g{i}.npy", np.full((150, 150), float(i + 1) ** 2))
        runs = [self.start("solve", "--metric", f"g{i}.npy", "--source", "0,0", "--out", "T.npy",
                           "--json", "r.json", "--quiet") for i in range(n) for _ in range(3)]
        for run in runs:
            out, err = run.communicate(timeout=240)
            self.assertEqual((run.returncode, out, err), (0, "", ""))
        T = self.load("T.npy")
        self.assertIn(round(T[0, 1]), range(1, n + 1))
        np.testing.assert_allclose(T[0], T[0, 1] * np.arange(150), rtol=1e-12)
        self.assertEqual(self.files(), sorted([*(f"g{i}.npy" for i in range(n)), "g.npy", "T.npy",
                                               "r.json"]))

    def interrupt(self, number, says):
        old = self.save("T.npy", np.arange(3.0))
        run = self.start(*self.forever, preexec_fn=stop_ignoring_signals)
        wait_until_catching(run, signal.SIGINT)
        self.assertIsNone(run.poll())
        run.send_signal(number)
        _, err = run.communicate(timeout=60)
        self.assertIn(says, err)
        self.assertEqual(self.load(old).tolist(), [0, 1, 2])
        self.assertEqual(self.files(), ["T.npy", "g.npy"])
        return run.returncode

    def test_interrupted_runs_change_nothing(self):
        self.assertEqual(self.interrupt(signal.SIGINT, "interrupted; no file was changed"), 130)
        self.assertEqual(self.interrupt(signal.SIGTERM, "interrupted"), 143)

    def test_killed_runs_change_nothing(self):
        self.assertEqual(self.interrupt(signal.SIGKILL, ""), -signal.SIGKILL)

    def test_permissions_are_those_of_any_new_file(self):
        self.zermelo(*self.args, "T.npy", "--json", "r.json", umask=0o027)
        for name in "T.npy", "r.json":
            self.assertEqual(stat.S_IMODE(os.stat(self.dir / name).st_mode), 0o640)

    def test_links_are_followed(self):
        (self.dir / "real").mkdir()
        self.save("real/T.npy", np.zeros(1))
        (self.dir / "T.npy").symlink_to("real/T.npy")
        self.zermelo(*self.args, "T.npy")
        self.assertTrue((self.dir / "T.npy").is_symlink())
        self.assertEqual(self.load("real/T.npy").shape, (200, 200))

    def test_long_file_names_leave_room_for_the_reason(self):
        name = "x" * 230 + ".npy"
        self.refuses(1, "No such file", "solve", "--metric", name, "--source", "1,1", "--out",
                     "T.npy")

    def on_a_terminal(self, *args, until, seconds):
        """What the tool shows on a terminal, until a text appears or the time is over."""
        ours, theirs = pty.openpty()
        run = subprocess.Popen([TOOL, *args], cwd=self.dir, stdout=subprocess.DEVNULL,
                               stderr=theirs)
        os.close(theirs)
        shown, end = "", time.monotonic() + seconds
        while until not in shown and time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                shown += os.read(ours, 65536).decode()
        run.kill()
        run.wait(timeout=60)
        os.close(ours)
        return shown

    def test_progress_is_shown_on_a_terminal_only(self):
        self.save("g.npy", np.ones((1000, 1000)))
        loud = [a for a in self.forever if a != "--quiet"]
        bar = "% of the grid"
        self.assertIn(bar, self.on_a_terminal(*loud, until=bar, seconds=60))
        self.assertNotIn(bar, self.on_a_terminal(*self.forever, until=bar, seconds=1.5))
        run = self.start(*loud)
        time.sleep(1.5)
        run.kill()
        self.assertNotIn(bar, run.communicate(timeout=60)[1])


if __name__ == "__main__":
    main()
