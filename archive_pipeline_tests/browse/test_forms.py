"""What the fields of a request mean."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from archive_pipeline.browse.forms import SearchForm, number_of, place_of, place_text
from archive_pipeline.errors import InvalidQueryError
from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.store.dialogue_list import ListFilters


def test_empty_fields_are_no_filters():
    form = SearchForm.of({"q": " tide ", "source": "", "since": " "})
    assert (form.q, form.is_filtered, form.filters()) == ("tide", False, SearchFilters())


def test_filled_fields_are_filters_and_part_of_the_next_address():
    form = SearchForm.of({"source": "chatgpt", "model": "gpt-4o", "title": "a & b", "since": "2024-05-31"})
    assert form.filters() == SearchFilters(
        source="chatgpt", model="gpt-4o", title="a & b", since=datetime(2024, 5, 31, tzinfo=UTC)
    )
    assert form.address(after="x") == "/?source=chatgpt&model=gpt-4o&title=a+%26+b&since=2024-05-31&after=x"


def test_states_choose_from_the_list_alone():
    form = SearchForm.of({"archived": "no", "starred": "yes", "workspace": "g-p-1"})
    assert form.is_filtered
    assert form.list_filters() == ListFilters(workspace="g-p-1", archived=False, starred=True)
    with pytest.raises(InvalidQueryError, match="clear them"):
        form.filters()
    assert SearchForm(workspace="g-p-1").filters() == SearchFilters(workspace="g-p-1")
    with pytest.raises(InvalidQueryError, match="Archived: 'maybe' is neither yes nor no"):
        SearchForm(archived="maybe").list_filters()


def test_a_wrong_date_is_said():
    with pytest.raises(InvalidQueryError, match="'yesterday' is no date"):
        SearchForm(since="yesterday").filters()


def test_the_place_of_a_page_is_read_as_it_was_written():
    place = (datetime(2024, 5, 31, 8, 30, 0, 5, tzinfo=UTC), "56f17bad-a339-4bbb-b6d8-b08cf4368c8e")
    assert place_of({"after": place_text(*place)}) == place
    assert place_of({}) is None


@pytest.mark.parametrize("text", ["x", "2024-05-31_x", "x_56f17bad-a339-4bbb-b6d8-b08cf4368c8e", "_"])
def test_a_broken_place_is_said(text: str):
    with pytest.raises(InvalidQueryError, match="begin with the first page"):
        place_of({"after": text})


@pytest.mark.parametrize("text", ["", "-1", "1.5", "٣", "2147483648", "9" * 5_000, "a"])
def test_what_is_no_number_is_said(text: str):
    with pytest.raises(InvalidQueryError, match="start="):
        number_of({"start": text}, "start")


def test_numbers_are_read():
    assert (number_of({}, "start"), number_of({"start": "2147483647"}, "start")) == (None, 2147483647)
