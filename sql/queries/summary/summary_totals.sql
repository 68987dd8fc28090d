-- The archive in one row. Messages that a dialogue has copied from another one are counted once, and apart.
SELECT
    (SELECT count(*) FROM raw.dialogues) AS dialogues,
    (
        (SELECT coalesce(sum(dialogue.message_count), 0)::bigint FROM raw.dialogues AS dialogue)
        - (SELECT coalesce(sum(link.shared_messages), 0)::bigint FROM raw.dialogue_links AS link)
    ) AS messages,
    (SELECT coalesce(sum(link.shared_messages), 0)::bigint FROM raw.dialogue_links AS link) AS copied_messages,
    (SELECT count(*) FROM raw.dialogue_links AS link WHERE link.kind = 'branch') AS links_branch,
    (SELECT count(*) FROM raw.dialogue_links AS link WHERE link.kind = 'fork') AS links_fork,
    (SELECT count(*) FROM raw.dialogue_links AS link WHERE link.kind = 'resume') AS links_resume,
    (SELECT count(*) FROM raw.dialogue_links AS link WHERE link.kind = 'copy') AS links_copy,
    (SELECT count(*) FROM raw.dialogue_links AS link WHERE link.kind = 'subagent') AS links_subagent,
    (SELECT count(*) FROM raw.imports AS import WHERE import.status = 'done') AS imports_done,
    (SELECT count(*) FROM raw.imports AS import WHERE import.status = 'failed') AS imports_failed,
    (SELECT count(*) FROM raw.rejected_records) AS rejected_records,
    pg_database_size(current_database()) AS database_bytes;
