DELETE FROM derived.document_chunks WHERE document_id = ANY(%(ids)s::uuid [])
RETURNING chunk_number;
