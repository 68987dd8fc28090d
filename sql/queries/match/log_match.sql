INSERT INTO raw.match_log (
    door, context_hash, path_hash, level, outcome, is_hit, is_created, matched, length, model, response_message_id
)
VALUES (
    %(door)s, %(context_hash)s, %(path_hash)s, %(level)s, %(outcome)s, %(is_hit)s, %(is_created)s, %(matched)s,
    %(length)s, %(model)s, %(response_message_id)s
);
