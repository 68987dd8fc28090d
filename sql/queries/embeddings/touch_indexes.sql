-- Who holds vectors of a generation in memory learns with the caller's commit that they are others now. What Chroma has
-- is a copy, which its own writer touches.
UPDATE derived.vector_indexes
SET changed_at = clock_timestamp()
WHERE generation_id = %(generation_id)s AND location = 'postgresql';
