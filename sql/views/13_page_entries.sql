-- What the visual collection of a vector store holds: the pages of dialogues and documents, once per model.
CREATE OR REPLACE VIEW derived.page_entries AS
SELECT
    generation.generation_id,
    page.doc_id,
    page.page,
    page.doc_id::text || ':' || page.page AS entry_id,
    md5(
        concat_ws(
            chr(31), coalesce(exchanges_state.fingerprint, ''), coalesce(exchanges_state.code_version, ''),
            coalesce(chunks_state.fingerprint, ''), coalesce(chunks_state.code_version, ''),
            coalesce(messages_state.fingerprint, ''), coalesce(messages_state.code_version, ''),
            coalesce(document_state.code_version, ''), coalesce(extract(EPOCH FROM document_state.read_at)::text, ''),
            document.source, document.filename, document.extension, document.source_path,
            coalesce(extract(EPOCH FROM document.created_at)::text, ''), extract(EPOCH FROM document.added_at)::text
        )
    ) AS entry_hash,
    content.user_text,
    content.assistant_text,
    page.markdown,
    page.num_headings,
    page.num_tables,
    page.num_pictures,
    document.source,
    document.filename,
    document.extension,
    document.source_path,
    document.created_at,
    document.added_at,
    coalesce(page.section_path, document.heading) AS section_path,
    coalesce(page.parent_heading, document.heading) AS parent_heading,
    page.image_path,
    page.thumb_path
FROM derived.all_pages AS page
INNER JOIN derived.all_documents AS document
    ON page.doc_id = document.doc_id
CROSS JOIN derived.embedding_generations AS generation
LEFT JOIN derived.exchange_content AS content
    ON
        page.exchange_id = content.exchange_id
        AND page.doc_id = content.dialogue_id
LEFT JOIN derived.build_state AS exchanges_state
    ON
        page.doc_id = exchanges_state.dialogue_id
        AND exchanges_state.asset = 'exchanges'
LEFT JOIN derived.build_state AS chunks_state
    ON
        page.doc_id = chunks_state.dialogue_id
        AND chunks_state.asset = 'qa_chunks'
LEFT JOIN derived.build_state AS messages_state
    ON
        page.doc_id = messages_state.dialogue_id
        AND messages_state.asset = 'message_chunks'
LEFT JOIN derived.document_builds AS document_state
    ON page.doc_id = document_state.document_id
WHERE page.exchange_id IS NULL OR content.exchange_id IS NOT NULL;
