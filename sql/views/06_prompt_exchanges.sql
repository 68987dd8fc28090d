-- Responses grouped by their prompt; more than one means regenerations (seed 001).
CREATE OR REPLACE VIEW derived.prompt_exchanges AS
SELECT
    pr.prompt_message_id,
    pr.dialogue_id,
    array_agg(pr.response_message_id ORDER BY pr.response_position) AS response_ids,
    count(*) AS response_count,
    count(*) > 1 AS has_regenerations,
    min(prc.prompt_text) AS prompt_text
FROM derived.prompt_responses AS pr
LEFT JOIN derived.prompt_response_content AS prc
    ON
        pr.id = prc.prompt_response_id
        AND pr.dialogue_id = prc.dialogue_id
GROUP BY pr.prompt_message_id, pr.dialogue_id;
