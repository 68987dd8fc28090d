-- Of dialogues without a title, or with one of white space, how the user's first text begins, on one line: what people
-- know them by. It is looked up for one dialogue at a time, by indexes alone.
CREATE OR REPLACE VIEW derived.first_prompts AS
SELECT
    dialogue.id AS dialogue_id,
    (
        SELECT left(btrim(regexp_replace(left(part.text_content, 1000), '\s+', ' ', 'g')), 240)
        FROM raw.messages AS asked
        INNER JOIN raw.content_parts AS part
            ON
                asked.dialogue_id = part.dialogue_id
                AND asked.id = part.message_id
        WHERE
            asked.dialogue_id = dialogue.id
            AND asked.role = 'user'
            AND asked.deleted_at IS NULL
            AND NOT asked.is_hidden
            AND part.part_type = 'text'
            AND btrim(left(part.text_content, 1000), E' \t\n\r\f\x0b') <> ''
        ORDER BY asked.sequence_number, part.sequence
        LIMIT 1
    ) AS first_prompt
FROM raw.dialogues AS dialogue
WHERE (dialogue.title ~ '\S') IS NOT TRUE;
