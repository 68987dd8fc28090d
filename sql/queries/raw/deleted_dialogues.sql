-- The dialogues that were deleted for good.
SELECT
    deleted.source, -- noqa: RF02
    deleted.source_id
FROM raw.deleted_dialogues AS deleted
ORDER BY deleted.source, deleted.source_id;
