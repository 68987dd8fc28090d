-- Messages of a dialogue that were the archive's answer, and how often.
SELECT
    message.id::text AS message_id,
    count(*) AS times
FROM raw.match_log AS log
INNER JOIN raw.messages AS message
    ON log.response_message_id = message.id
WHERE
    message.dialogue_id = %(dialogue_id)s
    AND log.outcome = 'found'
GROUP BY message.id
ORDER BY message.id;
