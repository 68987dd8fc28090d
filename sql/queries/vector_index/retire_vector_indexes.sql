UPDATE derived.vector_indexes SET is_active = FALSE WHERE index_id = ANY(%(index_ids)s::uuid []) AND is_active;
