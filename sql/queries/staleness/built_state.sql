-- One text that differs from the one before if dialogues were built, could not be built, or were deleted since. It goes
-- by the sum of all times: the latest one may be of a clock that was ahead.
SELECT
    concat_ws(
        ':',
        (SELECT count(*) FROM raw.dialogues),
        (
            SELECT concat_ws(':', count(*), sum((date_part('epoch', build_state.built_at) * 1000)::bigint))
            FROM derived.build_state
        ),
        (
            SELECT concat_ws(':', count(*), sum((date_part('epoch', build_error.failed_at) * 1000)::bigint))
            FROM derived.build_errors AS build_error
        )
    ) AS state;
