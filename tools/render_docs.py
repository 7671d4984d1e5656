#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Renders the pages that tools/check_docs.py checks as HTML (needs python3-markdown).

    tools/render_docs.py OUTPUT_DIRECTORY
"""
import pathlib
import re
import shutil
import sys

import markdown

from check_docs import ROOT, pages

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 sans-serif;
       color: #222; background: #fff }}
pre, code {{ font-family: monospace; background: #f4f4f4 }}
pre {{ padding: .7rem; overflow-x: auto; line-height: 1.35 }}
table {{ border-collapse: collapse }}
th, td {{ border: 1px solid #ccc; padding: .25rem .6rem; text-align: left }}
img {{ max-width: 100% }}
</style></head><body>
{body}
</body></html>
"""


def slug(title, separator):
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", separator)


def render(page, output):
    text = page.read_text(encoding="utf-8")
    title = re.search(r"^# +(.*)$", text, re.M)
    body = markdown.markdown(text, extensions=["extra", "toc", "sane_lists"],
                             extension_configs={"toc": {"slugify": slug}})
    body = re.sub(r'(href="(?!\w+:)[^"#]*)\.md(["#])', r"\1.html\2", body)
    target = output / page.relative_to(ROOT).with_suffix(".html")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(PAGE.format(title=title[1] if title else page.stem, body=body),
                      encoding="utf-8")
    for image in re.findall(r'<img [^>]*src="(?!\w+:)([^"]+)"', body):
        (target.parent / image).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page.parent / image, target.parent / image)
    return target


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    output = pathlib.Path(sys.argv[1])
    for page in pages():
        print(render(page, output))


if __name__ == "__main__":
    main()
