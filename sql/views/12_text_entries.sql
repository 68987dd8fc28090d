-- What the text collection of a vector store holds: chunks that have a vector, once per model. Chunks that repeat what
-- other answers to the same question, or other versions of an artifact, say are left out.
CREATE OR REPLACE VIEW derived.text_entries AS
SELECT
    embedding.generation_id,
    chunk.chunk_id,
    chunk.chunk_id::text AS entry_id,
    md5(
        concat_ws(
            chr(31), chunk.content_hash, coalesce(chunk.pair_id, ''), chunk.page, chunk.start_offset, document.source,
            document.filename, document.extension, document.source_path,
            coalesce(extract(EPOCH FROM document.created_at)::text, ''), extract(EPOCH FROM document.added_at)::text,
            coalesce(page.section_path, ''),
            coalesce(page.parent_heading, ''), coalesce(page.image_path, ''), coalesce(page.thumb_path, '')
        )
    ) AS entry_hash,
    chunk.pair_id,
    chunk.doc_id,
    chunk.side,
    chunk.chunk_index,
    chunk.start_offset,
    chunk.end_offset,
    chunk.text,
    chunk.page,
    chunk.content_hash,
    document.source,
    document.filename,
    document.extension,
    document.source_path,
    document.created_at,
    document.added_at,
    coalesce(page.section_path, document.heading) AS section_path,
    coalesce(page.parent_heading, document.heading) AS parent_heading,
    page.image_path,
    page.thumb_path,
    embedding.vector
FROM derived.all_chunks AS chunk
INNER JOIN derived.chunk_embeddings AS embedding
    ON chunk.content_hash = embedding.content_hash
INNER JOIN derived.all_documents AS document
    ON chunk.doc_id = document.doc_id
LEFT JOIN raw.document_pages AS page
    ON
        chunk.doc_id = page.document_id
        AND chunk.page = page.page
WHERE NOT chunk.is_near_duplicate;
