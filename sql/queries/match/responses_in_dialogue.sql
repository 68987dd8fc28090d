-- Responses of one dialogue to the prompt with the asked context: the children of the responses above, or the first on
-- their paths (seed 003). Without a prompt_hash responses to requests with any options.
-- The planner takes coalesce of a constant for that constant: a prompt_hash that is given is looked up in the index.
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
FROM derived.response_hashes AS response
INNER JOIN derived.message_contexts AS child
    ON
        response.response_message_id = child.message_id
        AND response.dialogue_id = child.dialogue_id
INNER JOIN derived.message_contexts AS prompt
    ON
        child.context_parent_id = prompt.message_id
        AND child.dialogue_id = prompt.dialogue_id
INNER JOIN raw.messages AS message
    ON
        child.message_id = message.id
        AND child.dialogue_id = message.dialogue_id
WHERE
    response.dialogue_id = %(dialogue_id)s::uuid
    AND {is_child}
    AND response.prompt_hash = coalesce(%(prompt_hash)s::text, response.prompt_hash)
    AND prompt.context_hash = %(hash)s
    AND message.deleted_at IS NULL
ORDER BY
    (message.model IS NOT DISTINCT FROM %(model)s::text) DESC,
    message.created_at DESC NULLS LAST,
    child.message_id ASC;
