"""Lines with arrays of messages, as datasets, benchmarks and APIs write them, mostly without ids."""
