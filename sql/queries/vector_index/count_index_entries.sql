SELECT count(*) AS entries
FROM derived.vector_index_entries AS entry
WHERE
    entry.index_id = %(index_id)s
    AND entry.collection = %(collection)s;
