-- The time of the source never goes back: of an older export of unknown time or part it stays that of the newer one.
-- What started a subagent is never another one; a file that stands elsewhere than usual may not say it.
UPDATE raw.dialogues
SET
    title = %(title)s,
    source_created_at = %(source_created_at)s,
    source_updated_at = greatest(source_updated_at, %(source_updated_at)s),
    fingerprint = %(fingerprint)s,
    message_count = %(message_count)s,
    active_message_id = %(active_message_id)s,
    diagnostics = %(diagnostics)s,
    custom_gpt_id = %(custom_gpt_id)s,
    project_id = %(project_id)s,
    source_parent_id = coalesce(%(source_parent_id)s, source_parent_id),
    source_json = %(source_json)s,
    source_bytes = %(source_bytes)s,
    last_import_id = %(import_id)s,
    changed_at = now()
WHERE id = %(id)s;
