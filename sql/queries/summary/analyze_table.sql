-- Refreshes the planner's statistics of a table, unless somebody else is doing so.
ANALYZE (SKIP_LOCKED) {relation};
