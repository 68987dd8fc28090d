-- What follows the messages with the asked context: by the asked model first, then the newest first.
SELECT
    child.message_id::text AS message_id,
    child.dialogue_id::text AS dialogue_id,
    message.role,
    message.model,
    message.created_at,
    child.context_hash,
    child.normalized_hash,
    response.prompt_hash,
    response.response_hash,
    response.path_hash
FROM derived.message_contexts AS known
INNER JOIN derived.message_contexts AS child
    ON
        known.message_id = child.context_parent_id
        AND known.dialogue_id = child.dialogue_id
INNER JOIN raw.messages AS message
    ON
        child.message_id = message.id
        AND child.dialogue_id = message.dialogue_id
LEFT JOIN derived.response_hashes AS response
    ON
        child.message_id = response.response_message_id
        AND child.dialogue_id = response.dialogue_id
WHERE
    known.context_hash = %(hash)s
    AND message.deleted_at IS NULL
    AND (%(dialogue_id)s::uuid IS NULL OR known.dialogue_id = %(dialogue_id)s::uuid)
ORDER BY
    (message.model IS NOT DISTINCT FROM %(model)s::text) DESC,
    message.created_at DESC NULLS LAST,
    child.message_id ASC
LIMIT %(most)s;
