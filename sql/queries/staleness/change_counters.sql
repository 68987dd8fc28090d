-- One text that differs from every earlier one if rows of dialogues, imports, documents, build states or build errors
-- were written since. NULL where the server does not count. The server's start is part of it because a crash sets the
-- counters back.
SELECT
    CASE
        WHEN current_setting('track_counts') = 'on'
            THEN
                extract(EPOCH FROM pg_postmaster_start_time())::text
                || string_agg(
                    concat_ws(':', '', counted.relid, counted.n_tup_ins, counted.n_tup_upd, counted.n_tup_del), ''
                    ORDER BY counted.relid
                )
    END AS counters
FROM pg_stat_user_tables AS counted
LEFT JOIN pg_inherits AS part
    ON counted.relid = part.inhrelid
WHERE
    coalesce(part.inhparent, counted.relid) IN (
        'raw.dialogues'::regclass, 'raw.imports'::regclass, 'raw.documents'::regclass,
        'derived.build_state'::regclass, 'derived.build_errors'::regclass
    );
