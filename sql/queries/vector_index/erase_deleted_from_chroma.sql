-- Takes the texts of deleted entries out of Chroma's database, which is one of SQLite: rows of its log (3 is a
-- deletion, which takes back what came before), words of its index, and what is on pages that are free.
DELETE FROM embeddings_queue
WHERE seq_id IN (
    SELECT earlier.seq_id
    FROM embeddings_queue AS earlier
    INNER JOIN (
        SELECT
            topic,
            id,
            max(seq_id) AS seq_id
        FROM embeddings_queue
        WHERE operation = 3
        GROUP BY topic, id
    ) AS deletion ON earlier.topic = deletion.topic AND earlier.id = deletion.id
    WHERE earlier.seq_id < deletion.seq_id
);

INSERT INTO embedding_fulltext_search (embedding_fulltext_search) VALUES ('optimize');

VACUUM;
