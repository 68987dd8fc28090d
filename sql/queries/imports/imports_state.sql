-- One text that is another one after an import has ended; NULL before the first. It goes by the sum of all times: the
-- latest one may be of a clock that was ahead.
SELECT count(*) || ':' || sum((date_part('epoch', import.finished_at) * 1000)::bigint) AS state
FROM raw.imports AS import
WHERE import.finished_at IS NOT NULL;
