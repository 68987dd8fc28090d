"""Which of the pages that were found are one result, and which of these have an answer of their own."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from archive_pipeline.retrieval.search.results import FoundPage, Page, ResultOptions


def one_per_question(
    pages: Iterable[FoundPage], options: ResultOptions, beside: Iterable[FoundPage] = ()
) -> list[list[FoundPage]]:
    """Return the pages in groups: those that answer one question, or say the same, are one, the best of them first.

    The same is said in copies: forks of a dialogue, a task that several dialogues were given, a file added twice. Which
    pages say nearly the same, and which dialogues are runs of one task, is known of ``derived.duplicate_clusters``. Of
    the other runs, the best page of each is beside the best page of all of them.

    Args:
        pages: best first.
        options: of the search.
        beside: pages that are shown only as those of other runs, best first.
    """
    groups = _Groups(options)
    for found in pages:
        groups.add(found)
    for found in beside:
        groups.put_beside(found)
    return [_originals_first(group, options.originals) for group in groups.all]


class _Groups:
    """Pages in groups, of which each becomes a result."""

    def __init__(self, options: ResultOptions) -> None:
        self.all: list[list[FoundPage]] = []
        self._options = options
        self._of_keys: dict[Hashable, list[FoundPage]] = {}
        self._of_runs: dict[str, list[FoundPage]] = {}

    def add(self, found: FoundPage) -> None:
        """Put a page into the group that it belongs to, or into one of its own if there are not enough yet."""
        keys = _keys(found, self._options.clusters)
        group = next((self._of_keys[key] for key in keys if key in self._of_keys), None)
        if group is not None:
            group.append(found)
        elif self.put_beside(found) or len(self.all) == self._options.limit:
            return
        else:
            group = [found]
            self.all.append(group)
            if found.page[0] in self._options.runs:
                self._of_runs.setdefault(self._options.runs[found.page[0]], group)
        for key in keys:
            self._of_keys.setdefault(key, group)

    def put_beside(self, found: FoundPage) -> bool:
        """Put a page beside the one that was found first of another run of its task, if any, and tell whether one was.

        Each run has one page there.
        """
        group = self._of_runs.get(self._options.runs.get(found.page[0], ""))
        if group is None or group[0].page[0] == found.page[0]:
            return False
        if all(other.page[0] != found.page[0] for other in group):
            group.append(found)
        return True


def _originals_first(group: Sequence[FoundPage], originals: Mapping[str, str]) -> list[FoundPage]:
    """Return the pages in their order, but copies below what they are copied from, where that was found too."""
    there = {found.page[0] for found in group}
    return sorted(group, key=lambda found: originals.get(found.page[0]) in there)


def _keys(found: FoundPage, clusters: Mapping[Page, str]) -> tuple[Hashable, ...]:
    chunk = found.chunk
    known = (chunk.question_message_id, chunk.content_hash, clusters.get(found.page))
    return tuple(key for key in known if key) or (found.page,)


def independent_pages(group: Sequence[FoundPage], answers: Mapping[Page, str], options: ResultOptions) -> set[Page]:
    """Return the pages of a group whose dialogues asked the same by themselves and have an answer of their own.

    These are not the pages of a dialogue that is there already, of its copies, of other runs of its task, or that say
    the same or nearly so.

    Args:
        group: pages, the one that is shown first.
        answers: to the questions that were found. Nothing is said of a page without one.
        options: of the search.
    """
    known: set[str | None] = set()
    independent: set[Page] = set()
    for found in group:
        doc, answer = found.page[0], answers.get(found.page)
        original, run = options.originals.get(doc, doc), options.runs.get(doc)
        relatives = {doc, original, run, options.clusters.get(found.page), answer} - {None}
        if answer is not None and known.isdisjoint(relatives):
            independent.add(found.page)
        known |= relatives
    return independent
