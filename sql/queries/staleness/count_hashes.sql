-- How many content hashes there are of a type of entity under a normalisation.
SELECT count(*)
FROM derived.content_hashes AS content_hash
WHERE content_hash.entity_type = %(entity_type)s AND content_hash.normalization = %(normalization)s;
