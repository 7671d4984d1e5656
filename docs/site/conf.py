# SPDX-License-Identifier: Apache-2.0
"""Sphinx settings of the site; tools/docs lays out the pages that they apply to."""
import os
import sys

root = os.environ["ZM_ROOT"]
sys.path.insert(0, os.path.join(root, "python"))

project = "Zermelo"
copyright = "the Zermelo authors, Apache License 2.0"
version = release = os.environ["ZM_VERSION"]
extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

html_theme = "furo"
html_title = f"Zermelo {version}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False

# Headings have the anchors that links in the Markdown pages use, as on GitHub.
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # pages may begin with any level of heading
exclude_patterns = ["models", "examples", "include", "src", "cli", "tests", "tools", "paper", "bench"]

breathe_projects = {"zermelo": os.environ["ZM_DOXYGEN_XML"]}
breathe_default_project = "zermelo"
breathe_domain_by_extension = {"h": "c"}
c_id_attributes = ["ZM_API"]
primary_domain = None
highlight_language = "none"
smartquotes = False  # options begin with two dashes
default_role = "literal"

# The reference is made from the Python sources alone: neither the extension module nor PyTorch
# need to be built.
autodoc_mock_imports = ["zermelo._core", "matplotlib", "torch"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = True


def setup(app):
    """Leaves out what Python says by itself about the fields of a named tuple, and how objects are
    made that users do not make."""
    def skip(app, what, name, obj, skip, options):
        return True if str(getattr(obj, "__doc__", "")).startswith("Alias for field") else None
    def without_constructor(app, what, name, obj, options, signature, returns):
        made_by_the_package = ("zermelo.Solution", "zermelo.Inversion", "zermelo.Raster")
        return ("", None) if name in made_by_the_package else None

    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-signature", without_constructor)
