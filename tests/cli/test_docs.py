# SPDX-License-Identifier: Apache-2.0
"""Shell blocks of the documentation that call the tool run as they stand."""
import os
import re
import subprocess

from _tool import HAS_FIRE, HAS_VIEW, ROOT, TOOL, ToolTest, main

WITH_FILES = ("fire-quickstart.md",)  # whose files another test makes up
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
CALL = re.compile(r"^zermelo ", re.M)


def blocks(page):
    return [block for block in BLOCK.findall(page.read_text(encoding="utf-8"))
            if CALL.search(block)]


class Docs(ToolTest):
    def run_block(self, page, block):
        bin_dir = self.dir / "bin"
        bin_dir.mkdir(exist_ok=True)
        for name, target in ("zermelo", TOOL), ("python3", os.path.realpath(os.sys.executable)):
            if not (bin_dir / name).exists():
                (bin_dir / name).symlink_to(target)
        environment = {**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}"}
        run = subprocess.run(["sh", "-e", "-c", block], cwd=self.dir, env=environment,
                             text=True, capture_output=True, timeout=240)
        self.assertEqual(run.returncode, 0, f"{page}\n{block}\n{run.stdout}{run.stderr}")

    def test_shell_blocks_run_as_they_stand(self):
        pictures = "png" in self.zermelo("info").stdout
        found = 0
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            if page.name in WITH_FILES:
                continue
            for block in blocks(page):  # those of a page share a folder
                found += 1
                if "zermelo fire" in block and not HAS_FIRE:
                    continue
                if "zermelo view" in block and not HAS_VIEW:
                    continue
                if "zermelo reproduce" in block and not pictures:
                    continue
                if not pictures:
                    block = re.sub(r" --plot \S+", "", block)
                self.run_block(page, block)
        self.assertGreater(found, 0)


if __name__ == "__main__":
    main()
