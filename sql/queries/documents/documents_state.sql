-- One text that is another one after a document was added, read again or removed; NULL without documents. It goes by
-- the sum of all times: the latest one may be of a clock that was ahead.
SELECT count(*) || ':' || sum((date_part('epoch', document.read_at) * 1000)::bigint) AS state
FROM raw.documents AS document;
