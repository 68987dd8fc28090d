-- Fields, words and types of values that the readers do not know, per source and kind: how many different ones.
SELECT
    replace(drift.kind, '_', ' ') AS series,
    drift.source AS label,
    count(*) AS value
FROM raw.format_drift AS drift
GROUP BY drift.kind, drift.source
ORDER BY series, label;
