-- Tokens of the chunks of questions and answers per language; what chunks overlap in is counted twice.
SELECT
    chunk.side AS series,
    chunk.language::text AS label,
    sum(chunk.token_count)::bigint AS value
FROM derived.qa_chunks AS chunk
GROUP BY chunk.side, chunk.language
ORDER BY series, label;
