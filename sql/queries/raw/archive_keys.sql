-- The partition keys that the archive's dialogues have, in the order to build them.
SELECT dialogue.{key_column} AS partition_key
FROM raw.dialogues AS dialogue
GROUP BY dialogue.{key_column}
ORDER BY min({place}) COLLATE "C"; -- noqa: RF03
