"""Tags of the events of a batch, which all of them have: PostgreSQL keeps those of one event.

``dagster.asset_event_tags`` has the tags of the event whose id is the shape's, and those of events that are stored as
whole texts. Dagster joins the table by the ids of events, for the versions of data of partitions above all; its
queries get a subquery in place of the table, which has the rows of each event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import sqlalchemy
from dagster._core.storage.event_log import SqlEventLogStorageTable
from dagster._core.storage.event_log.schema import AssetEventTagsTable
from sqlalchemy.sql import visitors

from archive_pipeline.store.sql_files import load_query

_EVENT: Final = SqlEventLogStorageTable.alias("tagged_event")
_TAG: Final = AssetEventTagsTable.alias("stored_tag")
_TAGGED_ID: Final = sqlalchemy.func.coalesce(sqlalchemy.func.dagster.event_shape_id(_EVENT.c.event), _EVENT.c.id)
_OWN_COLUMNS: Final = [_EVENT.c.id.label("event_id") if column.name == "event_id" else column for column in _TAG.c]
# The second condition says nothing new; by it the events of one asset are found by their index.
_TAGS_OF_EVENTS: Final = (
    sqlalchemy.select(*_OWN_COLUMNS)
    .select_from(_EVENT.join(_TAG, (_TAG.c.event_id == _TAGGED_ID) & (_TAG.c.asset_key == _EVENT.c.asset_key)))
    .subquery(AssetEventTagsTable.name)
)


def tagged_ids(ids: Iterable[int], texts: Iterable[str], shapes: Sequence[Mapping[str, object]]) -> list[int]:
    """Return the ids of those events of a batch whose tags are stored.

    Args:
        ids: of the events.
        texts: their stored texts.
        shapes: rows of the shapes that the texts refer to.
    """
    of_shapes = {shape["id"] for shape in shapes}
    return [number for number, text in zip(ids, texts, strict=True) if number in of_shapes or text.startswith("{")]


def latest_tags(
    connection: sqlalchemy.Connection, parameters: Mapping[str, Any], keys: Sequence[str], partitions: Sequence[str]
) -> Mapping[str, Mapping[str, str]]:
    """Return tags of the last event of each partition.

    Args:
        connection: to Dagster's tables.
        parameters: the asset, when it was wiped, and the type of events.
        keys: of the tags.
        partitions: to look at.
    """
    parameters = {**parameters, "tag_keys": list(keys), "partitions": list(partitions)}
    found: dict[str, dict[str, str]] = {}
    for partition, key, value in connection.exec_driver_sql(load_query("dagster/latest_tags"), parameters):
        found.setdefault(partition, {})[key] = value
    return found


def read_tags_of_all_events(engine: sqlalchemy.Engine) -> None:
    """Have the engine's queries find the tags of each event in Dagster's table of tags."""
    sqlalchemy.event.listen(engine, "before_execute", _with_tags_of_events, retval=True)


def _with_tags_of_events(
    _connection: sqlalchemy.Connection, statement: Any, many: Any, parameters: Any, _options: Any
) -> tuple[Any, Any, Any]:
    if isinstance(statement, sqlalchemy.Select) and any(
        element is AssetEventTagsTable for element in visitors.iterate(statement)
    ):
        statement = visitors.replacement_traverse(statement, {}, _replacement)
    return statement, many, parameters


def _replacement(element: Any, **_options: Any) -> Any:
    if element is AssetEventTagsTable:
        return _TAGS_OF_EVENTS
    if isinstance(element, sqlalchemy.Column) and element.table is AssetEventTagsTable:
        return _TAGS_OF_EVENTS.c[element.name]
    return None
