DELETE FROM derived.query_alignments
WHERE generation_id = %(generation_id)s;
