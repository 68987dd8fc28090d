"""Messages as the archive has them, in rows of `raw.content_parts`, are found where these rows are."""

from __future__ import annotations

from collections import defaultdict

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.matching import find_path
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline_tests.golden.readers import EXPORTS
from archive_pipeline_tests.tables import records

pytestmark = pytest.mark.postgres

CONTEXTS = """
    SELECT message_id, context_parent_id, context_hash, message.role,
        EXISTS (SELECT FROM raw.attachments AS file WHERE file.message_id = message.id) AS has_files
    FROM derived.message_contexts AS context
    INNER JOIN raw.messages AS message ON context.message_id = message.id
"""


def test_every_path_of_an_archive_of_all_sources_is_found_by_its_own_rows(database, session, tmp_path):
    import_archive(database, read_paths([EXPORTS]))
    build_stale(database, Settings(home=tmp_path))
    rows = defaultdict(list)
    for row in records(database, "SELECT * FROM raw.content_parts ORDER BY message_id, sequence"):
        rows[row["message_id"]].append(row)
    contexts = {context["message_id"]: context for context in records(database, CONTEXTS)}

    def path_to(context):
        above = contexts.get(context["context_parent_id"])
        return [*(path_to(above) if above else ()), context]

    # Files beside the parts are asked for by their content, which an archive does not have.
    paths = [path for path in map(path_to, contexts.values()) if not any(message["has_files"] for message in path)]
    assert len(paths) > 400
    for path in paths:
        found = find_path(session, [{"role": said["role"], "content_parts": rows[said["message_id"]]} for said in path])
        assert (found.context_hash, found.matched) == (path[-1]["context_hash"], len(path))
