UPDATE derived.vector_indexes SET location = %(location)s WHERE index_id = ANY(%(index_ids)s::uuid []);
