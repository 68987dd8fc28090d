-- The ticks of sensors and schedules that are still recorded.
SELECT id FROM dagster.job_ticks;
