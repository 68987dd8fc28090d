"""Settings: a field per variable of the environment, read when a command or a Dagster process starts; never at import.

A field declares the variable's type, range, default and meaning once: reading, messages and the table in
``docs/operations.md`` follow. Libraries that a setting needs to be checked are not imported here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AliasGenerator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from archive_pipeline.domain.choices import AttachmentHandling, ExecutorKind, Normalization, Partitioning, VectorStore
from archive_pipeline.domain.setting_fields import Number, OptionalNumber, extra_of, number, value, variable
from archive_pipeline.domain.setting_values import (
    access_token,
    cron_expression,
    digits,
    endpoint_address,
    header_key,
    home_path,
    model_name,
    normalizations,
    page_address,
    storage_address,
    time_zone,
    web_address,
)
from archive_pipeline.errors import ConfigurationError
from archive_pipeline.settings.secret_files import with_secret_files

__all__ = ["CHECKOUT", "Settings"]

CHECKOUT = Path(__file__).resolve().parents[2]

_MOST_DAYS: Final = 36_500
_MOST_SECONDS: Final = 86_400
# Below, overlaps and cut sentences are most of what is stored; above, no embedding model reads a chunk to its end.
_FEWEST_CHUNK_TOKENS: Final = 16
_MOST_CHUNK_TOKENS: Final = 8_192
_MOST_REQUESTS: Final = 1_000_000


def _default_home() -> Path:
    # An installed wheel has no checkout around it.
    return CHECKOUT / "dagster_home" if (CHECKOUT / "workspace.yaml").exists() else Path.home() / "llm-archive"


class Settings(BaseSettings):
    """Everything that can be configured. Frozen; ``repr`` and errors never show what may hold a password or key.

    The constructor takes values of fields and reads no environment; ``from_environment`` reads the variables, each of
    which is ``ARCHIVE_`` and the name of the field in upper case. The ``description`` of a field is Markdown for
    ``docs/operations.md``.
    """

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        case_sensitive=True,
        env_ignore_empty=True,
        validate_by_name=True,
        hide_input_in_errors=True,
        alias_generator=AliasGenerator(validation_alias=variable),
    )

    home: Annotated[Path, BeforeValidator(home_path)] = Field(
        default_factory=_default_home,
        description="folder of everything the project writes",
        json_schema_extra={"rule": "use a folder", "default": "`dagster_home/` of the checkout, else `~/llm-archive`"},
    )
    database_url: SecretStr | None = value(
        None,
        "write postgresql://user:password@host:5432/database",
        "a PostgreSQL of your own, 15 or newer",
        shown="unset: the embedded server in `ARCHIVE_HOME`",
        is_secret=True,
    )
    direct_database_url: SecretStr | None = value(
        None,
        "write postgresql://user:password@host:5432/database",
        "the same database past a connection pooler, see [scaling-tables.md](scaling-tables.md#connection-poolers)",
        shown="unset: `ARCHIVE_DATABASE_URL`",
        is_secret=True,
    )
    partitioning: Partitioning = value(
        Partitioning.PER_DIALOGUE,
        f"use one of {', '.join(Partitioning)}",
        "partitions of Dagster: `per_dialogue`, or `sharded`: at most 1,024 keys however many dialogues there are",
    )
    executor: ExecutorKind = value(
        ExecutorKind.LOCAL,
        f"use one of {', '.join(ExecutorKind)}",
        "where chunks of dialogues are computed and written: `local`, in the process that builds, `processes`, in "
        "`ARCHIVE_WORKERS` processes of this machine, or `ray`, on a cluster, see [scaling.md](scaling.md)",
    )
    workers: OptionalNumber = number(
        None,
        1,
        1_000,
        "how many processes read and write a large import, or compute and write derived rows",
        shown="the processors that the process may use, for imports one more",
    )
    attachments: AttachmentHandling = value(
        AttachmentHandling.KEEP,
        f"use one of {', '.join(AttachmentHandling)}",
        "whether imports `keep` the files that messages came with, or `leave` them in the exports",
    )
    inbox: Annotated[str | None, BeforeValidator(storage_address)] = value(
        None,
        "write s3://BUCKET/PREFIX or gs://BUCKET/PREFIX, without credentials, which its library looks for",
        "a prefix of an object storage that is watched beside the drop folder, see [object storage](#object-storage)",
        shown="unset: none",
        is_secret=True,
    )
    hash_normalizations: Annotated[tuple[Normalization, ...], NoDecode, BeforeValidator(normalizations)] = value(
        (Normalization.NONE, Normalization.FULL),
        f"use a comma-separated list of {', '.join(Normalization)}",
        "which normalisations `content_hashes` has",
    )
    simhash_version: Annotated[Literal[1, 2], BeforeValidator(digits)] = value(
        2, "use 1 or 2", "1 for the specification's simhash, 2 for shingles, see [decisions.md](decisions.md#hashes)"
    )
    schedule: Annotated[str, BeforeValidator(cron_expression)] = value(
        "0 3 * * *",
        "use five fields (minute hour day month weekday), such as '0 3 * * *'",
        "when the nightly jobs start, a cron expression",
    )
    timezone: Annotated[str, BeforeValidator(time_zone)] = value(
        "UTC", "use an IANA name such as Europe/Berlin or UTC", "the time zone of `ARCHIVE_SCHEDULE`, an IANA name"
    )
    event_retention_days: Number = number(90, 0, _MOST_DAYS, "how long Dagster's events are kept; `0` keeps them all")
    match_log_retention_days: Number = number(
        365, 0, _MOST_DAYS, "how long look-ups of messages arrays are kept; `0` keeps them all"
    )
    freshness_days: Number = number(
        0, 0, _MOST_DAYS, "how many days after the last import the check `imports_are_recent` warns; `0`: never"
    )
    concurrent_runs: OptionalNumber = number(None, 1, 100, "how many runs execute at a time; others queue", shown="`2`")
    run_retries: OptionalNumber = number(
        None, 0, 10, "retries of a run whose process died. Other failures are not retried", shown="`3`"
    )
    run_start_seconds: OptionalNumber = number(
        None, 10, _MOST_SECONDS, "how long a run may take to start before it counts as failed", shown="`120`"
    )
    tick_retention_days: OptionalNumber = number(
        None,
        1,
        _MOST_DAYS,
        "how long ticks of sensors and schedules are kept that started something or failed",
        shown="`30` and `90`",
    )
    sensor_seconds: Number = number(
        30, 1, _MOST_SECONDS, "seconds between two ticks of a sensor; the daemon's own interval is 5"
    )
    chunk_tokens: Number = number(256, _FEWEST_CHUNK_TOKENS, _MOST_CHUNK_TOKENS, "most tokens of a chunk")
    embedding_model: Annotated[str, BeforeValidator(model_name)] = value(
        "static",
        "write an endpoint as https://HOST/v1#MODEL, and its key into ARCHIVE_EMBEDDING_API_KEY",
        "the model that embeds chunks and queries, see [search.md](search.md#embedding-models)",
        is_secret=True,
    )
    query_model: Annotated[str, BeforeValidator(model_name)] = value(
        "minilm",
        "use static, minilm, onnx:FOLDER, sentence-transformers:NAME, or an endpoint as https://HOST/v1#MODEL",
        "the model that [reads queries](search.md#reading-queries) of an index of `static`; `static` for that alone",
        is_secret=True,
    )
    embedding_api_key: Annotated[SecretStr | None, BeforeValidator(header_key)] = value(
        None,
        "use a key without spaces, in ASCII",
        "key of an embedding endpoint; never stored or printed",
        is_secret=True,
    )
    embedding_requests_per_minute: Number = number(
        0, 0, _MOST_REQUESTS, "most requests to an endpoint; `0` for as many as it answers"
    )
    vector_index: VectorStore | None = value(
        None,
        f"use one of {', '.join(VectorStore)}",
        "the store that has the index of search, see [search.md](search.md#vector-index)",
        shown=(
            "unset: `postgres`; `chroma` where an index is in it, a Chroma server is named, or the server has no "
            "pgvector"
        ),
    )
    chroma_url: Annotated[SecretStr | None, BeforeValidator(web_address)] = value(
        None,
        "write http://host:8000 or https://host",
        "a Chroma server; `http://user:password@host` for one behind a password",
        shown="unset: embedded, in `ARCHIVE_HOME/chroma`",
        is_secret=True,
    )
    browse_url: Annotated[str | None, BeforeValidator(page_address)] = value(
        None,
        "write http://127.0.0.1:3100, without a token",
        "where `llm-archive browse` serves; what Dagster and assistants show then links to it, see "
        "[browse.md](browse.md#links)",
        shown="unset: no links",
        is_secret=True,
    )
    ui_token: Annotated[SecretStr | None, BeforeValidator(access_token)] = value(
        None,
        "use 32 or more letters, digits, - and _",
        "the token that the UI asks for where it asks for one, see [operations.md](operations.md#who-reaches-the-ui)",
        shown="unset: made on first use, in `ARCHIVE_HOME/up.token`",
        is_secret=True,
    )
    visual_model: str | None = value(
        None,
        "use a folder or a hub id",
        "folder or hub id of the model that reads page images, see [documents.md](documents.md#visual-retrieval)",
        shown="unset: pages are searched by their text",
    )
    reranker: str | None = value(
        None,
        "use onnx:FOLDER, sentence-transformers:NAME, a folder or a hub id",
        "model of the [second stage](search.md#second-stage) of searches",
        shown="unset: none",
    )

    answer_url: Annotated[str | None, BeforeValidator(endpoint_address)] = value(
        None,
        "write an OpenAI-compatible endpoint as https://HOST/v1, and its key into ARCHIVE_ANSWER_API_KEY",
        "the endpoint that answers questions, see [ask.md](ask.md#models); texts of the archive are sent there",
        is_secret=True,
    )
    answer_model: str | None = value(
        None,
        "use the name of a model",
        "the model that answers: of the endpoint, or without one of the package `llm`",
        shown="unset: no model is asked",
    )
    answer_api_key: Annotated[SecretStr | None, BeforeValidator(header_key)] = value(
        None,
        "use a key without spaces, in ASCII",
        "key of the endpoint that answers; never stored or printed",
        is_secret=True,
    )
    answer_seconds: Number = number(600, 1, _MOST_SECONDS, "how long an answer may take, from the request to its end")

    @property
    def chroma_folder(self) -> Path:
        """Data folder of the embedded vector store."""
        return self.home / "chroma"

    @property
    def documents_folder(self) -> Path:
        """Page images of documents."""
        return self.home / "documents"

    @property
    def imports_folder(self) -> Path:
        """The drop folder for exports."""
        return self.home / "imports"

    @property
    def postgres_folder(self) -> Path:
        """Data folder of the embedded server."""
        return self.home / "postgres"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 (the signature is the library's)
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the constructor take its arguments only: what a process has in its environment is for commands."""
        return (init_settings,)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Read the settings; raise ``ConfigurationError`` naming the variable whose value cannot be used."""
        environ = os.environ if environ is None else environ
        variables = EnvSettingsSource(cls)
        variables.env_vars = with_secret_files(environ, cls._secrets())
        try:
            return cls(**variables())
        except ValidationError as error:
            raise cls._unusable(str(error.errors()[0]["loc"][0]), variables.env_vars) from error

    @classmethod
    def variables(cls) -> dict[str, FieldInfo]:
        """Return the declaration of each variable of the environment, by name."""
        return {variable(name): field for name, field in cls.model_fields.items()}

    @classmethod
    def _secrets(cls) -> list[str]:
        return [name for name, field in cls.variables().items() if extra_of(field).get("is_secret")]

    @classmethod
    def _unusable(cls, variable: str, values: Mapping[str, str | None]) -> ConfigurationError:
        """Return the error for a value that cannot be used; it shows the value unless that may hold a secret."""
        extra = extra_of(cls.variables()[variable])
        shown = "" if extra.get("is_secret") else f"={values[variable]!r}"
        return ConfigurationError(f"{variable}{shown}: {extra['rule']}")

    def with_values(self, **values: Any) -> Self:
        """Return the settings with other values of some fields."""
        return type(self)(**{**dict(self), **values})
