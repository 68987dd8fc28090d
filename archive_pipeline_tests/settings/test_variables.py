"""Settings come from the environment and name the variable that is wrong."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from archive_pipeline.domain.choices import Normalization, Partitioning, VectorStore
from archive_pipeline.errors import ConfigurationError
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT


def test_without_variables_everything_has_its_default():
    assert Settings.from_environment({}) == Settings(
        home=CHECKOUT / "dagster_home",
        database_url=None,
        partitioning=Partitioning.PER_DIALOGUE,
        hash_normalizations=(Normalization.NONE, Normalization.FULL),
        simhash_version=2,
    )


def test_each_variable_is_read(tmp_path: Path):
    settings = Settings.from_environment(
        {
            "ARCHIVE_HOME": str(tmp_path / "x" / ".." / "home"),
            "ARCHIVE_DATABASE_URL": "postgresql://me@host/db",
            "ARCHIVE_PARTITIONING": "sharded",
            "ARCHIVE_HASH_NORMALIZATIONS": "full, lowercase",
            "ARCHIVE_SIMHASH_VERSION": "1",
            "ARCHIVE_CHUNK_TOKENS": "512",
            "ARCHIVE_EMBEDDING_MODEL": "https://host/v1#model",
            "ARCHIVE_EMBEDDING_API_KEY": "secret",
            "ARCHIVE_EMBEDDING_REQUESTS_PER_MINUTE": "60",
            "ARCHIVE_VECTOR_INDEX": "chroma",
            "ARCHIVE_CHROMA_URL": "http://host:8000",
            "ARCHIVE_BROWSE_URL": "http://127.0.0.1:3100/",
        }
    )
    assert settings.browse_url == "http://127.0.0.1:3100"
    assert settings.home == (tmp_path / "home").resolve()
    assert settings.database_url == SecretStr("postgresql://me@host/db")
    assert settings.partitioning is Partitioning.SHARDED
    assert settings.hash_normalizations == (Normalization.LOWERCASE, Normalization.FULL)
    assert settings.simhash_version == 1
    assert settings.postgres_folder.parent == settings.imports_folder.parent == settings.home
    assert (settings.chunk_tokens, settings.embedding_requests_per_minute) == (512, 60)
    assert (settings.embedding_model, settings.chroma_url) == (
        "https://host/v1#model",
        SecretStr("http://host:8000"),
    )
    assert settings.vector_index is VectorStore.CHROMA
    assert settings.embedding_api_key == SecretStr("secret")
    assert "secret" not in repr(settings)


def test_the_constructor_reads_no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("ARCHIVE_CHUNK_TOKENS", "64")
    monkeypatch.setenv("ARCHIVE_HOME", str(tmp_path))
    assert Settings(home=CHECKOUT).chunk_tokens == 256
    assert Settings.from_environment().chunk_tokens == 64
    assert Settings.from_environment({}).home == CHECKOUT / "dagster_home"


def test_settings_are_frozen_and_checked_also_without_an_environment(tmp_path: Path):
    settings = Settings(home=tmp_path)
    with pytest.raises(ValidationError):
        settings.chunk_tokens = 64
    with pytest.raises(ValidationError):
        settings.with_values(chunk_tokens=1)
    with pytest.raises(ValidationError):
        Settings(home=tmp_path, chunk_token=64)
    assert settings.with_values(chunk_tokens=64) == Settings(home=tmp_path, chunk_tokens=64)


SECRET = "hunter2secret"  # noqa: S105
SECRETS = {
    "ARCHIVE_DATABASE_URL": f"postgresql://me:{SECRET}@host/db",
    "ARCHIVE_EMBEDDING_API_KEY": SECRET,
    "ARCHIVE_CHROMA_URL": f"https://me:{SECRET}@host",
}


def test_no_secret_is_in_what_settings_are_shown_as():
    settings = Settings.from_environment(SECRETS)
    shown = [
        repr(settings),
        str(settings),
        f"{settings.model_dump()}",
        settings.model_dump_json(),
        repr(dict(settings)),
    ]
    assert not [text for text in shown if SECRET in text]
    assert [field.get_secret_value() for field in dict(settings).values() if isinstance(field, SecretStr)] == [
        *SECRETS.values()
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ARCHIVE_CHROMA_URL", f"me:{SECRET}@host"),
        ("ARCHIVE_EMBEDDING_MODEL", f"https://me:{SECRET}@host/v1#model"),
        ("ARCHIVE_EMBEDDING_MODEL", f"https://host/v1?key={SECRET}#model"),
        ("ARCHIVE_BROWSE_URL", f"http://127.0.0.1:3100/?token={SECRET}"),
        ("ARCHIVE_BROWSE_URL", f"http://me:{SECRET}@host"),
        ("ARCHIVE_BROWSE_URL", f"127.0.0.1:3100/{SECRET}"),
    ],
)
def test_no_secret_is_in_an_error_or_its_cause(name: str, value: str):
    with pytest.raises(ConfigurationError, match=name) as raised:
        Settings.from_environment({name: value})
    assert SECRET not in "".join(traceback.format_exception(raised.value))
    with pytest.raises(ValidationError) as invalid:
        Settings(**{name: value})
    assert SECRET not in str(invalid.value)


def test_the_order_of_normalizations_says_nothing():
    one = Settings.from_environment({"ARCHIVE_HASH_NORMALIZATIONS": "full,none"})
    assert one.hash_normalizations == Settings.from_environment({}).hash_normalizations


def test_an_empty_variable_is_an_unset_one():
    assert Settings.from_environment(dict.fromkeys(Settings.variables(), "")) == Settings.from_environment({})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ARCHIVE_PARTITIONING", "per-dialogue"),
        ("ARCHIVE_HASH_NORMALIZATIONS", "none,lower"),
        ("ARCHIVE_HASH_NORMALIZATIONS", " , "),
        ("ARCHIVE_SIMHASH_VERSION", "3"),
        ("ARCHIVE_CHUNK_TOKENS", "15"),
        ("ARCHIVE_CHUNK_TOKENS", "many"),
        ("ARCHIVE_EMBEDDING_REQUESTS_PER_MINUTE", "-1"),
        ("ARCHIVE_CHROMA_URL", "localhost:8000"),
        ("ARCHIVE_VECTOR_INDEX", "pgvector"),
        ("ARCHIVE_CHUNK_TOKENS", "6_4"),
        ("ARCHIVE_CHUNK_TOKENS", " 64"),
        ("ARCHIVE_CHUNK_TOKENS", "64.0"),
        ("ARCHIVE_SIMHASH_VERSION", "2.0"),
        ("ARCHIVE_HOME", "~nosuchuser/archive"),
        ("ARCHIVE_ANSWER_API_KEY", "sk-a\nb"),
        ("ARCHIVE_ANSWER_API_KEY", "sk-ünï"),
        ("ARCHIVE_EMBEDDING_API_KEY", "sk a"),
        ("ARCHIVE_SCHEDULE", " "),
        ("ARCHIVE_TIMEZONE", "Europe"),
        ("ARCHIVE_TIMEZONE", "../UTC"),
    ],
)
def test_a_value_nobody_can_use_is_an_error_that_names_the_variable(name: str, value: str):
    with pytest.raises(ConfigurationError, match=name) as raised:
        Settings.from_environment({name: value})
    assert "\n" not in str(raised.value)


def test_a_home_below_the_users_folder_may_be_written_with_a_tilde():
    assert Settings.from_environment({"ARCHIVE_HOME": "~/archive"}).home == Path.home().resolve() / "archive"


def test_a_key_that_was_copied_with_blanks_is_the_key():
    settings = Settings.from_environment({"ARCHIVE_ANSWER_API_KEY": " sk-x\n"})
    assert settings.answer_api_key is not None
    assert settings.answer_api_key.get_secret_value() == "sk-x"
    assert "sk-x" not in repr(settings)
