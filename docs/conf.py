"""How Sphinx builds these pages: Markdown as it stands, the reference from commands and docstrings, no network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from generated_reference import PAGES, public_target

import shoal

project = "Shoal"
version = release = shoal.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["**/.*"]

html_theme = "furo"
html_title = f"Shoal {version}"
html_copy_source = False
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["wide-tables.css"]

myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
maximum_signature_line_length = 88
add_module_names = False
napoleon_numpy_docstring = False
napoleon_custom_sections = ["Reference", "Deviations"]
smartquotes = False  # two hyphens are those of an option
# Types of other packages, and those of Shoal that are no public name: they are said, and lead nowhere.
nitpick_ignore_regex = [
    ("py:class", r"(numpy|collections|os|pyarrow|pa)\..*"),
    ("py:class", r"shoal(\.[a-z_]+)+\.[A-Z]\w*|Int32|Int64|Progress|Verdict|Attacks|Folder|Release|Options|Metrics"),
    ("py:class", r"Kind|TermItems|Lengths|Guesses|Given|FileText"),
    ("py:class", r"(dict|tuple)\[str"),  # Sphinx splits what is only imported for types
]
pygments_style = "friendly"
pygments_dark_style = "monokai"


def _generate(_app: Any, docname: str, source: list[str]) -> None:
    if docname in PAGES:
        source[0] += PAGES[docname]()


def _resolve(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Types are named by where they are defined; lead to the public name, which is the one that is documented."""
    target = public_target(node.get("reftarget", ""))
    if target is None or node.get("refdomain") != "py":
        return None
    domain = env.get_domain("py")
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, contnode)


_COLON = "\ue000"


def _hide_colons(_app: Any, what: str, _name: str, _value: Any, _options: Any, lines: list[str]) -> None:
    """Docstrings have no types in them, which are annotations; napoleon takes what stands before a colon for one."""
    places = [0] if what in ("attribute", "property", "data") else []
    places += [place + 1 for place, line in enumerate(lines) if line.strip() in ("Returns:", "Yields:")]
    for place in places:
        if place < len(lines):
            lines[place] = lines[place].replace(":", _COLON)


def _show_colons(_app: Any, _what: str, _name: str, _value: Any, _options: Any, lines: list[str]) -> None:
    lines[:] = [line.replace(_COLON, ":") for line in lines]


def setup(app: Any) -> None:
    """Let Sphinx know."""
    app.connect("autodoc-process-docstring", _hide_colons, priority=400)
    app.connect("autodoc-process-docstring", _show_colons, priority=600)
    app.connect("source-read", _generate)
    app.connect("missing-reference", _resolve)
