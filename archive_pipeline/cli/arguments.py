"""Arguments and options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from archive_pipeline.domain.addresses import checked_address, is_address
from archive_pipeline.errors import ConfigurationError


class _Text(click.types.StringParamType):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text: str = super().convert(value, param, ctx)
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            self.fail(f"{text.encode(errors='replace').decode()!r} is not valid UTF-8", param, ctx)
        return text


class _Place(click.Path):
    """A path of this machine, or the address of an object storage as text."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":  # as a variable of a shell that is not set: it would be the present folder
            self.fail("a path is empty", param, ctx)
        if not isinstance(value, str) or not is_address(value):
            return super().convert(value, param, ctx)
        try:
            return checked_address(TEXT.convert(value, param, ctx))
        except ConfigurationError as error:
            self.fail(str(error), param, ctx)


PLACE: Final = _Place(path_type=Path)

# For everything but paths, which may have any bytes: Python passes on what is no UTF-8 as lone surrogates.
TEXT: Final = _Text()

# Of lists: PostgreSQL counts to a bound, too.
MOST_LISTED: Final = 100_000

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
