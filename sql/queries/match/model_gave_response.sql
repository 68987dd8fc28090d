-- How often the model returned a response that has another model's name: an alias, or the version that answered.
SELECT count(*) AS times
FROM raw.match_log AS log
WHERE
    log.response_message_id = %(response_message_id)s
    AND log.model = %(model)s
    AND log.outcome IN ('generated_equal', 'generated_new');
