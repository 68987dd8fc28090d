-- How many bytes of text some documents have on their pages; PostgreSQL knows the length of a text without reading it.
SELECT
    page.document_id::text AS document_id,
    sum(octet_length(page.markdown))::bigint AS text_bytes
FROM raw.document_pages AS page
WHERE page.document_id = ANY(%(ids)s::uuid []) -- noqa: RF02
GROUP BY page.document_id;
