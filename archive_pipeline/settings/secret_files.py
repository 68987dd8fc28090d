"""Secrets from files: ``NAME_FILE`` names a file that has the value of the variable ``NAME``.

That is how containers are given secrets: an environment shows in the description of a container and is inherited by
every process in it, a mounted file is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from archive_pipeline.errors import ConfigurationError

_SUFFIX: Final = "_FILE"


def with_secret_files(environ: Mapping[str, str], secrets: Iterable[str]) -> dict[str, str]:
    """Return the environment with the secrets that files have; a variable with a value of its own keeps it.

    Args:
        environ: variables by name; those without a value count as unset.
        secrets: names of the variables that may be in a file. White space around a file's text is no part of it.

    Raises:
        ConfigurationError: a file cannot be read or is empty. The message has its path and nothing that is in it.
    """
    given = {name: value for name, value in environ.items() if value}
    read = {
        name: _value(f"{name}{_SUFFIX}", given[f"{name}{_SUFFIX}"])
        for name in secrets
        if name not in given and f"{name}{_SUFFIX}" in given
    }
    return {**given, **read}


def _value(variable: str, path: str) -> str:
    try:
        value = Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigurationError(f"{variable}={path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ConfigurationError(f"{variable}={path} holds no text") from None
    if not value:
        raise ConfigurationError(f"{variable}={path} is empty")
    return value
