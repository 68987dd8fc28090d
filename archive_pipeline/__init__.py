"""Turns archives of LLM conversations into PostgreSQL tables one can use.

A folder per stage of a message's way, from bottom to top; each imports only what stands before it, which
``make check-layers`` enforces. ``docs/architecture.md`` says what belongs where.

- ``errors``: errors that a user sees as one line. ``program``: what each program does first.
- ``domain``: data that stages share (records, batches, ids). No I/O.
- ``settings``: values of the environment.
- ``text``: pure functions over strings (normalisation, hashes, tokens, chunks, sentences).
- ``readers``, ``documents``: exports to records; files with pages to Markdown. No database.
- ``store``: the SQL boundary (server, tables, migrations, bulk reads and writes, locks).
- ``derive``: one module per derived table, pure functions over a batch.
- ``duplicates``: finds duplicates in batches, pure.
- ``ingest``: records and documents to rows of ``raw``.
- ``building``: stale dialogues and documents to derived rows; verification.
- ``matching``: finds and stores messages arrays.
- ``retrieval``: vectors, search, pages, contexts.
- ``export``, ``report``: files that people take away; charts of the archive.
- ``answering``: answers of a model from contexts.
- ``orchestration``: Dagster's assets, checks, automation and instance. ``mcp_server``: the server for assistants.
  ``llm_plugin``: models of ``llm`` that answer from the archive.
- ``cli``: the command line. ``definitions``: the code location that ``workspace.yaml`` loads.

The modules that ``__all__`` lists are public, and in each the names of its own ``__all__``; ``docs/architecture.md``
has them all. They keep their names and signatures within a major version. Everything else may move.
"""

__version__ = "0.2.0"

__all__ = [
    "annotations",
    "answering",
    "builders",
    "chroma_client",
    "context_builder",
    "definitions",
    "errors",
    "matching",
    "models",
    "qa_pairs",
    "search_engine",
    "settings",
]
