-- One query for everything that is not wanted.
SELECT string_agg('(' || phraseto_tsquery('simple', term.text)::text || ')', ' | ') AS excluded
FROM unnest(%(texts)s::text []) AS term (text)
WHERE numnode(phraseto_tsquery('simple', term.text)) > 0;
