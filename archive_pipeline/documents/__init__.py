"""Readers of documents: a file to pages of Markdown. No database; the packages that parse are in the extra `documents`."""
