-- The folder stands for `chroma` where earlier versions recorded it.
UPDATE derived.vector_indexes
SET is_active = FALSE
WHERE
    is_active
    AND (location = %(location)s OR (%(location)s = 'chroma' AND starts_with(location, '/')));
