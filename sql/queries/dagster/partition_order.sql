-- The partition keys among some texts, in the order of the partitions.
SELECT partition_key.partition
FROM dynamic_partitions AS partition_key
WHERE partition_key.partition = any(%(keys)s)
GROUP BY partition_key.partition
ORDER BY min(partition_key.id);
