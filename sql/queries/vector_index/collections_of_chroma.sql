-- The collections of indexes in Chroma's database, which is one of SQLite.
SELECT
    collection.name,
    own.str_value AS index_id,
    maker.str_value AS archive_id
FROM collections AS collection
INNER JOIN collection_metadata AS own
    ON collection.id = own.collection_id AND own.key = 'index_id'
LEFT JOIN collection_metadata AS maker
    ON collection.id = maker.collection_id AND maker.key = 'archive_id'
WHERE collection.name IN ('text-' || own.str_value, 'visual-' || own.str_value)
ORDER BY collection.name;
