DELETE FROM derived.build_state WHERE dialogue_id = %(id)s;
