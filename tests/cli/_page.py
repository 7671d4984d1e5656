# SPDX-License-Identifier: Apache-2.0
"""Pages of zermelo view, taken apart by their description in web/README.md alone."""
import base64
import html.parser
import json
import zlib

from _tool import np

TYPES = {"f8": "<f8", "f4": "<f4", "i2": "<i2", "u1": "u1"}


class Reader(html.parser.HTMLParser):
    """Title and elements with an id, as a browser finds them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.title, self.elements, self.scripts, self.odd, self.policy = "", {}, 0, [], ""
        self._in = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self._in = ("title", None) if tag == "title" else (tag, given.get("id"))
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag == "script":
            self.scripts += 1
            if given.get("id"):
                self.elements[given["id"]] = ""
        if any(name.startswith("on") or name in ("src", "href") for name in given):
            self.odd.append((tag, given))

    def handle_endtag(self, tag):
        self._in = None

    def handle_data(self, data):
        if self._in and self._in[0] == "title":
            self.title += data
        elif self._in and self._in[1] in self.elements:
            self.elements[self._in[1]] += data


class Page:
    def __init__(self, path):
        self.text = path.read_bytes().decode("utf-8")
        self.reader = Reader(self.text)
        self.title = self.reader.title
        self.facts = json.loads(self.reader.elements["facts"])
        self.fields = self.facts["fields"]

    def bytes_of(self, name):
        return zlib.decompress(base64.b64decode(self.reader.elements[name], validate=True))

    def field(self, k):
        """Values of field number k, shape (planes, rows, cols)."""
        kind = np.dtype(TYPES[self.fields[k]["type"]])
        raw = np.frombuffer(self.bytes_of(f"data-{k}"), np.uint8)
        numbers = raw.reshape(kind.itemsize, -1).T.copy().view(kind)
        return numbers.reshape(self.fields[k]["planes"], *self.facts["shape"])

    def roles(self):
        return [field["role"] for field in self.fields]

    def one(self, role):
        """The first field of that role."""
        return self.field(self.roles().index(role))
