"""Readers of documents: a file to pages of Markdown. No database. What parses is in the extra `documents`."""
