"""What programs send of a dialogue that was deleted for good is answered and not stored."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout

import pytest
from sqlalchemy.orm import Session

from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.matching import find_or_create_from_messages, respond
from archive_pipeline.store.database import Database
from archive_pipeline.store.deleted_dialogues import delete_for_good, deleted_dialogues, readmit
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline_tests.exports import chain, chatgpt
from archive_pipeline_tests.matching.messages import assistant, system, user
from archive_pipeline_tests.tables import counts, query

pytestmark = pytest.mark.postgres

FRANCE = [system("you are a useful assistant"), user("Capital of France?")]
LONGER = [*FRANCE, assistant("Paris"), user("Sure?")]


def forget(database: Database, dialogue_id: str) -> None:
    with database.session() as connection:
        delete_for_good(connection, [dialogue_id])
        delete_dialogues(connection, [dialogue_id])


@pytest.fixture
def gone(database: Database, session: Session) -> str:
    """The id of a dialogue that a program stored and that was deleted for good."""
    match = find_or_create_from_messages(session, FRANCE, response="Paris")
    session.commit()
    assert match.dialogue_id is not None
    forget(database, match.dialogue_id)
    return match.dialogue_id


def test_an_array_of_it_is_not_stored_again(database: Database, session: Session, gone: str):
    for array, response in ((FRANCE, "Paris"), (FRANCE, None), (LONGER, "Yes")):
        match = find_or_create_from_messages(session, array, response=response)
        session.commit()
        assert (match.hit, match.created, match.matched, match.dialogue_id, match.responses) == (
            False,
            False,
            0,
            None,
            (),
        )
    with pytest.raises(UnknownDialogueError):
        find_or_create_from_messages(session, FRANCE, conversation_id=gone)
    assert counts(database)["dialogues"] == counts(database)["messages"] == counts(database)["response_hashes"] == 0
    # What begins otherwise is another dialogue, and what comes in the same transaction stays.
    assert find_or_create_from_messages(session, [user("Capital of Peru?")]).created
    assert not find_or_create_from_messages(session, FRANCE).created
    session.commit()
    assert query(database, "SELECT title FROM raw.dialogues") == [("Capital of Peru?",)]


def test_a_model_answers_and_the_reply_says_why_it_is_not_stored(database: Database, session: Session, gone: str):
    reply = respond(session, FRANCE, call=lambda _: "Paris")
    assert (reply.message, reply.from_archive) == ("Paris", False)
    assert reply.not_stored is not None
    assert reply.not_stored.endswith("was deleted for good")
    assert counts(database)["messages"] == 0


def test_a_readmitted_one_is_stored_as_before(database: Database, session: Session, gone: str):
    with database.session() as connection:
        readmit(connection, deleted_dialogues(connection)[0])
    match = find_or_create_from_messages(session, FRANCE, response="Paris")
    session.commit()
    assert (match.created, match.dialogue_id) == (True, gone)


def test_a_branch_of_an_imported_dialogue_goes_with_it(database: Database, session: Session, imported):
    """What a program says afterwards is a dialogue of its own."""
    imported(chatgpt("c1", chain("Capital of France?", "Paris")))
    array = [user("Capital of France?"), assistant("Paris"), user("Sure?")]
    stored = find_or_create_from_messages(session, array, response="Yes")
    session.commit()
    forget(database, stored.dialogue_id)
    again = find_or_create_from_messages(session, array, response="Yes")
    session.commit()
    assert again.created
    assert query(database, "SELECT source FROM raw.dialogues") == [("api",)]


@pytest.mark.parametrize("is_forever", [True, False])
@pytest.mark.parametrize("is_looked_up", [True, False])
def test_a_client_that_stores_while_it_is_deleted_does_so_afterwards(
    database: Database, session: Session, is_forever: bool, is_looked_up: bool
):
    stored = find_or_create_from_messages(session, FRANCE, response="Paris").dialogue_id
    session.commit()
    assert stored is not None
    if not is_looked_up:  # the client begins the dialogue, and waits for its row
        query(database, "DELETE FROM derived.message_contexts RETURNING 1")

    def store() -> bool:
        with Session(database.engine) as another, another.begin():
            return find_or_create_from_messages(another, FRANCE, response="Lyon").created

    with ThreadPoolExecutor() as pool:
        with database.session() as connection:
            if is_forever:
                delete_for_good(connection, [stored])
            delete_dialogues(connection, [stored])
            waiting = pool.submit(store)
            with pytest.raises(FutureTimeout):
                waiting.result(timeout=1)
        assert waiting.result(timeout=60) is not is_forever
    texts = query(database, "SELECT text_content FROM raw.content_parts ORDER BY message_id")
    assert ("Lyon",) in texts if not is_forever else texts == []
    assert query(database, "SELECT count(*) FROM raw.dialogues") == [(0 if is_forever else 1,)]
