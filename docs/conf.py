"""Sphinx configuration of the documentation site, which ``make site`` builds.

The source folder is the checkout, so that links between documents are the same on the site and in a code viewer.
"""
# ruff: noqa: INP001 (a folder of documents, not a package)

from __future__ import annotations

import logging

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

import archive_pipeline

logging.getLogger("alembic").setLevel(logging.WARNING)
# Diagrams are shown as their text: what draws them in a browser is loaded from a network.
lexers["mermaid"] = TextLexer()

project = "llm-archive-pipeline"
copyright = "the contributors to llm-archive-pipeline"  # noqa: A001 (a name that Sphinx reads)
release = archive_pipeline.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]

root_doc = "docs/index"
include_patterns = ["*.md", "docs/**.md", "docs/**.rst", "benchmarks/README.md"]
myst_heading_anchors = 4


autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}

html_theme = "furo"
html_title = f"llm-archive-pipeline {release}"
html_show_sourcelink = False
html_copy_source = False
