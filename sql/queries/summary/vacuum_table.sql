-- Gives the room of a table's dead rows to new ones, unless somebody else is doing so. Its processes would need shared
-- memory, of which containers have little, so it is one.
VACUUM (SKIP_LOCKED, PARALLEL 0) {relation};
