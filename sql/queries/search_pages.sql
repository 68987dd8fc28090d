-- What is shown of some pages, those that the filters let through: their first chunk.
SELECT DISTINCT ON (asked.dialogue_id, asked.page)
    chunk.chunk_id::text AS chunk_id,
    chunk.dialogue_id::text AS dialogue_id,
    chunk.page,
    chunk.side,
    chunk.role,
    chunk.text,
    chunk.pair_id,
    chunk.pair_type,
    chunk.is_on_primary_path,
    chunk.question_message_id::text AS question_message_id,
    chunk.answer_message_id::text AS answer_message_id,
    chunk.model,
    chunk.answered_at,
    chunk.source,
    chunk.partition_key,
    chunk.title,
    chunk.source_created_at
FROM unnest(%(dialogue_ids)s::uuid [], %(pages)s::int []) AS asked (dialogue_id, page)
INNER JOIN derived.searchable_chunks AS chunk
    ON
        asked.dialogue_id = chunk.dialogue_id
        AND asked.page = chunk.page
WHERE
    (%(source)s::text IS NULL OR chunk.source = %(source)s)
    AND (%(role)s::text IS NULL OR chunk.role = %(role)s)
    AND (%(model)s::text IS NULL OR chunk.model = %(model)s)
    AND (%(since)s::timestamptz IS NULL OR chunk.answered_at >= %(since)s)
    AND (%(until)s::timestamptz IS NULL OR chunk.answered_at < %(until)s)
    AND (%(title)s::text IS NULL OR chunk.title ILIKE %(title)s)
    AND (%(branch)s::text IS NULL OR chunk.is_on_primary_path = (%(branch)s = 'primary'))
    AND (%(pair_type)s::text IS NULL OR chunk.pair_type = %(pair_type)s)
ORDER BY asked.dialogue_id ASC, asked.page ASC, chunk.pair_type ASC, chunk.side ASC, chunk.chunk_id ASC;
