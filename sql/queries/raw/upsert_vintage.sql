INSERT INTO raw.dialogue_vintages (dialogue_id, vintage, import_id, source_updated_at, layer, reader_version)
VALUES (%(dialogue_id)s, %(vintage)s, %(import_id)s, %(source_updated_at)s, %(layer)s, %(reader_version)s)
ON CONFLICT (dialogue_id, vintage) DO UPDATE SET
    import_id = coalesce(excluded.import_id, dialogue_vintages.import_id),
    source_updated_at = excluded.source_updated_at,
    layer = excluded.layer,
    reader_version = excluded.reader_version;
