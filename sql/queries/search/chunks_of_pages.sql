-- The chunks of some pages that can be found, in the order in which one would show them: what is in no pair comes last,
-- in the order of messages.
SELECT chunk.chunk_id::text AS chunk_id
FROM unnest(%(doc_ids)s::uuid [], %(pages)s::int []) AS asked (doc_id, page)
INNER JOIN derived.all_chunks AS chunk
    ON
        asked.doc_id = chunk.doc_id
        AND asked.page = chunk.page
LEFT JOIN derived.qa_pairs AS pair
    ON
        chunk.pair_id = pair.pair_id
        AND chunk.doc_id = pair.dialogue_id
LEFT JOIN derived.message_chunks AS own
    ON
        chunk.chunk_id = own.chunk_id
        AND chunk.doc_id = own.dialogue_id
LEFT JOIN raw.messages AS message
    ON
        own.message_id = message.id
        AND own.dialogue_id = message.dialogue_id
WHERE NOT chunk.is_near_duplicate
ORDER BY
    chunk.doc_id ASC,
    chunk.page ASC,
    pair.pair_type ASC,
    chunk.side ASC,
    message.sequence_number ASC,
    own.part_id IS NOT NULL ASC,
    chunk.start_offset ASC,
    chunk.chunk_id ASC;
