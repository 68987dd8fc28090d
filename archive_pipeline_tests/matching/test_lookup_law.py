"""What was stored is found, models are kept apart, nothing is stored twice, and a build changes no hash."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.matching import find_or_create_from_messages, find_path
from archive_pipeline.settings import Settings
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.matching.messages import turns
from archive_pipeline_tests.tables import derived_rows, query
from archive_pipeline_tests.trials import trials

# A path of one or two prompts, the model that answered the last one, and whether the request fixed the temperature.
TURNS = st.tuples(st.sampled_from(["p", "q"]), st.sampled_from(["a", "b"]))
CALLS = st.tuples(
    st.lists(TURNS, min_size=1, max_size=2).map(tuple),
    st.sampled_from(["m", "n"]),
    st.sampled_from([{}, {"temperature": 0}]),
)


def said(path):
    return [text for turn in path for text in turn]


def store(session, calls):
    """Stores each call; returns what is expected to be known: answers per prompt, with model and options."""
    expected = set()
    for path, model, options in calls:
        *array, answer = turns(*said(path))
        match = find_or_create_from_messages(session, array, response=answer, model=model, options=options)
        session.commit()
        key = (path, model, str(options))
        assert match.created == (key not in expected)
        assert match.hit == (key in expected)
        expected.add(key)
    return expected


def known(session, path, options):
    """The models that gave the last answer of a path; answers on the way to others have none."""
    responses = find_path(session, turns(*said(path))[:-1], options=options).responses
    given = [known.model for known in responses if known.content == path[-1][1]]
    return sorted(model for model in given if model is not None)


@trials(8)
@example(calls=[((("p", "a"),), "m", {"temperature": 0}), ((("p", "a"), ("p", "a")), "m", {})])  # options above
@given(calls=st.lists(CALLS, min_size=1, max_size=8))
def test_the_law_of_look_ups(database, tmp_path_factory, calls):
    empty(database)
    home = Settings(home=tmp_path_factory.mktemp("home"))
    with Session(database.engine) as session:
        expected = store(session, calls)
        for path, _, options in calls:
            models = sorted(model for other, model, fixed in expected if (other, fixed) == (path, str(options)))
            assert known(session, path, options) == models
        for path, model, options in calls:
            *array, _ = turns(*said(path))
            assert find_path(session, array, model=model, options=options).response.model == model
    responses = "SELECT count(*), count(DISTINCT id) FROM raw.messages WHERE role = 'assistant' AND model IS NOT NULL"
    assert query(database, responses) == [(len(expected), len(expected))]
    names = ("response_hashes", "message_contexts")
    stored = {name: derived_rows(database)[name] for name in names}
    build_stale(database, home)
    incremental = derived_rows(database)
    assert {name: incremental[name] for name in names} == stored
    with database.session() as connection:
        connection.execute("DELETE FROM derived.message_contexts")
        connection.execute("DELETE FROM derived.response_hashes")
        connection.execute("DELETE FROM derived.build_state")
    build_stale(database, home)
    assert derived_rows(database) == incremental
