"""An asset per export format: files in the home, made when asked for; without partitions, since each has them all."""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from typing import Any, Final

import dagster as dg
from pydantic import Field

from archive_pipeline.domain.choices import EXPORT_ROLES
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.formats.base import Format
from archive_pipeline.export.formats.registry import FORMATS
from archive_pipeline.export.run import Exported, export
from archive_pipeline.orchestration.assets.raw import OWNERS, raw_key
from archive_pipeline.orchestration.resources import Archive, transient_errors_retried

GROUP: Final = "exports"
EXPORTS_FOLDER: Final = "exports"


class ExportConfig(dg.Config):
    """What of the archive is exported; the options of ``llm-archive export`` of the same names."""

    paths: str = "primary"
    roles: list[str] = Field(default_factory=lambda: list(EXPORT_ROLES))
    thinking: bool = False
    max_tokens: int | None = None
    drop_duplicates: str | None = None
    shape: str = "messages"
    splits: list[float] = Field(default_factory=list)
    sources: list[str] = Field(default_factory=list)
    models: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    title: str | None = None
    redact: bool | None = None
    own_words: list[str] = Field(default_factory=list)
    phone_region: str | None = None
    presidio: str | None = None

    def choices(self, format_: Format) -> Choices:
        """Return the choices for a format; redaction is its default unless it is said."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in self.model_dump().items()
        }
        values["redact"] = format_.is_redacted if self.redact is None else self.redact
        return Choices(**values)


def asset_name(format_name: str) -> str:
    """Return the name of a format's asset."""
    return f"export_{format_name.replace('-', '_')}"


def _asset(format_: Format) -> dg.AssetsDefinition:
    @dg.asset(
        name=asset_name(format_.name),
        deps=[raw_key("messages"), raw_key("content_parts"), *map(dg.AssetKey, format_.needs)],
        group_name=GROUP,
        owners=OWNERS,
        kinds={"python", "parquet" if format_.kind == "tables" else "file"},
        description=f"{format_.description}. Written to `{EXPORTS_FOLDER}/{format_.name}` in the home.",
    )
    def exported_files(archive: dg.ResourceParam[Archive], config: ExportConfig) -> dg.MaterializeResult[None]:
        target = archive.settings.home / EXPORTS_FOLDER / format_.name
        with transient_errors_retried():
            exported = export(
                archive.database,
                archive.settings,
                format_.name,
                target,
                config.choices(format_),
                may_replace=True,
            )
        return dg.MaterializeResult(metadata=export_metadata(exported))

    return exported_files


def export_metadata(exported: Exported) -> dict[str, Any]:
    """Return counts that Dagster plots over time, and where the files are.

    No text and no name of a file, which a title can be: no deletion of a dialogue would find the event.
    """
    told = exported.manifest
    return {
        "path": dg.MetadataValue.path(exported.path),
        "manifest": dg.MetadataValue.json({name: value for name, value in told.items() if name != "files"}),
        "bytes": sum(file.size_bytes for file in exported.files),
        "file_count": len(exported.files),
        **{f"read_{name}": count for name, count in told["read"].items()},
        **{f"written_{name.replace(' ', '_')}": count for name, count in told["written"].items()},
        **({"remains_removed": exported.remains} if exported.remains else {}),
        "left_out": sum(told["left_out"].values()),
        "redacted": sum((told["redacted"] or {}).values()),
    }


EXPORT_ASSETS: Final = [_asset(format_) for format_ in FORMATS.values()]
