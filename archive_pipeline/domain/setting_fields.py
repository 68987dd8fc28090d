"""How a setting is declared: a variable of the environment with its range, its default and its meaning."""

from __future__ import annotations

from typing import Annotated, Any, cast

from pydantic import BeforeValidator, Field, JsonValue
from pydantic.fields import FieldInfo

from archive_pipeline.domain.setting_values import digits


def variable(field: str) -> str:
    """Return the variable of the environment that a field is read from."""
    return f"ARCHIVE_{field.upper()}"


def extra_of(field: FieldInfo) -> dict[str, Any]:
    """Return what a field was declared with beside its type: ``rule``, ``default`` as shown, ``is_secret``."""
    return cast("dict[str, Any]", field.json_schema_extra)  # all fields are declared with it


def number(default: int | None, lowest: int, highest: int, meaning: str, *, shown: str | None = None) -> Any:
    """Declare a whole number of a range."""
    rule = f"use a number from {lowest:,} to {highest:,}"
    return Field(
        default, ge=lowest, le=highest, description=meaning, json_schema_extra={"rule": rule, "default": shown}
    )


def value(default: Any, rule: str, meaning: str, *, shown: str | None = None, is_secret: bool = False) -> Any:
    """Declare a value of another kind; ``rule`` completes the message of a value that cannot be used.

    A value that ``is_secret`` is not repeated in the message.
    """
    extra: dict[str, JsonValue] = {"rule": rule, "default": shown, "is_secret": is_secret}
    return Field(default, description=meaning, json_schema_extra=extra)


Number = Annotated[int, BeforeValidator(digits)]
OptionalNumber = Annotated[int | None, BeforeValidator(digits)]
