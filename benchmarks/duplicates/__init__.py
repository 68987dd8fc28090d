"""Finding duplicates: quality beside published libraries, time and memory by size."""
