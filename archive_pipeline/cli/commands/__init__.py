"""Options, arguments and help of the commands, a module for each. What they do is in the modules beside this package.

``--help`` reads the table below. Help of a command and its mistyped arguments import the command's module here, which
imports what the command needs when the arguments are good.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

# Of each command the module in this package, the function, and the first sentence of its help.
_COMMANDS: Final = {
    "import": (
        "import_files",
        "import_",
        "Import exports (files, zips or folders) and build every derived table of what is new or changed.",
    ),
    "doctor": (
        "doctor",
        "doctor",
        "Say what an import of files, zips or folders would find; read only, without a database.",
    ),
    "up": ("up", "up", "Start Dagster's UI and daemon; Ctrl-C stops everything that was started."),
    "build": (
        "build",
        "build",
        "Build derived tables: of changed dialogues and documents, of the named dialogues, or of all.",
    ),
    "build_prompt_responses": (
        "build",
        "build_prompt_responses",
        "Rebuild the prompt-response pairs of all dialogues, or of one (seed 001).",
    ),
    "index": (
        "index",
        "index",
        "Embed the chunks that have no vector yet and bring the vector index up to date.",
    ),
    "search": (
        "search",
        "search",
        'Find pages of dialogues and documents; TEXT may have required "phrases", prefix* and -exclusions.',
    ),
    "context": (
        "context",
        "context",
        "Print sources on TEXT, numbered for citing, to be given to an LLM.",
    ),
    "ask": (
        "ask",
        "ask",
        "Answer QUESTION from the archive by the configured model, with citations.",
    ),
    "browse": ("browse", "browse", "Read and search conversations and documents in a browser; Ctrl-C stops it."),
    "list": (
        "list_dialogues",
        "list_",
        "List dialogues: date, title, messages, branches, models, tags, key.",
    ),
    "show": (
        "show",
        "show",
        "Print the dialogue KEY as a thread of its current path, or as a tree.",
    ),
    "annotate": (
        "annotate",
        "annotate_",
        "Say something about the dialogue KEY, or show what is said.",
    ),
    "export": (
        "export",
        "export_",
        "Write dialogues to PATH in FORMAT, with a manifest and a dataset card; nothing is uploaded.",
    ),
    "report": (
        "report",
        "report",
        "Write charts of the archive to FILE, one HTML page that needs no network.",
    ),
    "stats": (
        "stats",
        "stats",
        "Show what the archive holds: sources, models, dates, rows per table, what is stale, failed, or was rejected.",
    ),
    "acknowledge": (
        "acknowledge",
        "acknowledge",
        "Take note of failed imports, rejected records and surprises: checks count only what comes after. All is kept.",
    ),
    "verify": (
        "verify",
        "verify",
        "Compute every derived row anew and compare it with the stored one; change nothing.",
    ),
    "match": (
        "match",
        "match",
        "Say where the messages of FILE.json are in the archive (- reads standard input).",
    ),
    "mcp": ("mcp", "mcp", "Let an assistant search and read the archive (MCP, on standard input and output)."),
    "duplicates": (
        "duplicates",
        "duplicates",
        "Show messages and exchanges that say the same or nearly, and which of them to keep.",
    ),
    "documents": (
        "documents",
        "documents",
        "Documents: PDF, DOCX, PPTX, HTML, Markdown, text and pictures.",
    ),
    "partitions": (
        "partitions",
        "partitions",
        "Show the partition keys of both granularities, and switch to the one that ARCHIVE_PARTITIONING says.",
    ),
    "delete": ("delete", "delete", "Remove the dialogue KEY (its partition key or id) from the archive."),
    "db": ("db", "db", "The archive's database."),
}


class LazyGroup(click.Group):
    """A group whose commands have a name and a line of help until one is called."""

    def load(self, name: str) -> click.Command:
        """Return the command of this name, whole."""
        module, function, _ = _COMMANDS[name]
        command: click.Command = getattr(import_module(f"archive_pipeline.cli.commands.{module}"), function)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called, whole; a name that is mistyped is said without any."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if command is None or command.name is None else self.load(command.name), rest


@click.group(
    cls=LazyGroup,
    commands=[click.Command(name, help=summary) for name, (_, _, summary) in _COMMANDS.items()],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="llm-archive-pipeline", prog_name="llm-archive")
def llm_archive() -> None:
    """Turn archives of LLM conversations into PostgreSQL tables one can use."""
