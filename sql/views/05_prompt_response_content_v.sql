-- Prompt-response pairs with their texts (seed 001).
CREATE OR REPLACE VIEW derived.prompt_response_content_v AS
SELECT
    pr.id AS prompt_response_id,
    pr.dialogue_id,
    pr.prompt_message_id,
    pr.response_message_id,
    prc.prompt_text,
    prc.response_text,
    prc.prompt_word_count,
    prc.response_word_count,
    pr.prompt_role,
    pr.response_role,
    pr.prompt_position,
    pr.response_position,
    pr.pairing_rule
FROM derived.prompt_responses AS pr
LEFT JOIN derived.prompt_response_content AS prc
    ON
        pr.id = prc.prompt_response_id
        AND pr.dialogue_id = prc.dialogue_id;
