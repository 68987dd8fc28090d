-- Tags of the last event of each partition of an asset. Those of an event of a batch are stored for the first one.
SELECT
    latest.partition,
    tag.key,
    tag.value
FROM (
    SELECT
        event.partition,
        max(event.id) AS id
    FROM event_logs AS event
    WHERE
        event.asset_key = %(asset_key)s
        AND event.dagster_event_type = %(event_type)s
        AND event.timestamp > %(wiped_at)s
        AND event.partition = ANY(%(partitions)s)
    GROUP BY event.partition
) AS latest
INNER JOIN event_logs AS tagged ON latest.id = tagged.id
INNER JOIN asset_event_tags AS tag
    ON tagged.asset_key = tag.asset_key AND tag.event_id = coalesce(dagster.event_shape_id(tagged.event), tagged.id)
WHERE tag.key = ANY(%(tag_keys)s); -- noqa: RF02
