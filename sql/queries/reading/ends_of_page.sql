-- The messages that a page of a dialogue begins and ends with. The last one says which of several answers it is.
SELECT
    exchange.first_message_id::text AS first_message_id,
    exchange.last_message_id::text AS last_message_id
FROM derived.dialogue_pages AS page
INNER JOIN derived.exchanges AS exchange
    ON
        page.exchange_id = exchange.id
        AND page.dialogue_id = exchange.dialogue_id
WHERE
    page.dialogue_id = %(dialogue_id)s::uuid
    AND page.page = %(page)s;
