"""Secrets that lie in files, as containers have them."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest
from pydantic import SecretStr

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.settings import Settings

SECRET = "s3cret"  # noqa: S105
URL = f"postgresql://archive:{SECRET}@db:5432/archive"


def file(folder: Path, content: str | bytes) -> str:
    path = folder / "secret"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def test_a_secret_is_what_its_file_has_without_the_end_of_the_line(tmp_path: Path):
    settings = Settings.from_environment({"ARCHIVE_DATABASE_URL_FILE": file(tmp_path, f"{URL}\n")})
    assert settings.database_url == SecretStr(URL)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ARCHIVE_EMBEDDING_API_KEY", "key"),
        ("ARCHIVE_ANSWER_API_KEY", "key"),
        ("ARCHIVE_CHROMA_URL", "http://me:word@host:8000"),
        ("ARCHIVE_UI_TOKEN", "t" * 32),
    ],
)
def test_every_secret_may_be_in_a_file(tmp_path: Path, name: str, value: str):
    from_file = Settings.from_environment({f"{name}_FILE": file(tmp_path, value)})
    assert from_file == Settings.from_environment({name: value}) != Settings.from_environment({})


def test_a_variable_with_a_value_of_its_own_keeps_it_and_its_file_is_not_read(tmp_path: Path):
    environment = {"ARCHIVE_DATABASE_URL": URL, "ARCHIVE_DATABASE_URL_FILE": str(tmp_path / "missing")}
    assert Settings.from_environment(environment).database_url == SecretStr(URL)


def test_a_file_of_what_is_no_secret_says_nothing(tmp_path: Path):
    assert Settings.from_environment({"ARCHIVE_PARTITIONING_FILE": file(tmp_path, "sharded")}) == Settings()


def test_a_file_that_is_not_there_is_an_error_and_no_archive_without_a_database(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"ARCHIVE_DATABASE_URL_FILE=.*missing cannot be read"):
        Settings.from_environment({"ARCHIVE_DATABASE_URL_FILE": str(tmp_path / "missing")})


@pytest.mark.parametrize(("content", "why"), [(" \n", "is empty"), (b"\xff\xfe" + SECRET.encode(), "holds no text")])
def test_a_file_without_a_secret_is_an_error_that_shows_nothing_of_it(tmp_path: Path, content: str | bytes, why: str):
    with pytest.raises(ConfigurationError, match=f"ARCHIVE_DATABASE_URL_FILE=.* {why}") as raised:
        Settings.from_environment({"ARCHIVE_DATABASE_URL_FILE": file(tmp_path, content)})
    assert SECRET not in "".join(traceback.format_exception(raised.value))


def test_a_secret_of_a_file_that_cannot_be_used_is_not_repeated(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="ARCHIVE_UI_TOKEN: use 32") as raised:
        Settings.from_environment({"ARCHIVE_UI_TOKEN_FILE": file(tmp_path, SECRET)})
    assert SECRET not in "".join(traceback.format_exception(raised.value))
