"""What Grok's answers cite and show beside their text: results of searches, and cards that the text names by id.

A card is JSON as a text. Cards stay where they are: the place of each in the text is known by its id alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text

_CARDS: Final = "card_attachments_json"
_CITED: Final = "cited_web_search_results"
_CITATION: Final = "citation_card"
_FILE: Final = "rendered_file_card"


Card = Mapping[str, Any]


def shown_parts(cards: Iterable[Card], known: Iterable[str]) -> Iterator[PartRecord]:
    """Yields a part for each picture and file that cards show, but for the known addresses of pictures."""
    seen = set(known)
    for card in cards:
        name = as_text(card.get("cardType"))
        address = _picture(card)
        kind = PartType.IMAGE
        if address is None and name == _FILE:
            address, kind = as_text(card.get("url")), PartType.FILE
        if address is not None and address not in seen:
            seen.add(address)
            yield PartRecord(kind, source_type=name, mime_type=as_text(card.get("mime_type")), uri=address)


def _picture(card: Card) -> str | None:
    image, made = as_object(card.get("image")), as_object(card.get("image_chunk"))
    return as_text(image.get("original")) or as_text(image.get("thumbnail")) or as_text(made.get("imageUrl"))


def take_cited(fields: Fields, response: Mapping[str, Any], cards: Iterable[Card]) -> Iterator[PartRecord]:
    """Takes the results that an answer cites, as a part for each; then pages that only cards name, each once."""
    seen: set[str | None] = set()
    for result in fields.take_objects(_CITED):
        page = Fields(result)
        url, title = page.take_text("url"), page.take_text("title")
        seen.add(url)
        yield PartRecord(PartType.CITATION, title, _CITED, uri=url, source=page.rest())
    titles = {
        as_text(result.get("url")): as_text(result.get("title"))
        for result in map(as_object, as_list(response.get("web_search_results")))
    }
    for card in cards:
        url = as_text(card.get("url"))
        if card.get("cardType") == _CITATION and url is not None and url not in seen:
            seen.add(url)
            yield PartRecord(PartType.CITATION, titles.get(url), _CITATION, uri=url)


def cards_of(response: Mapping[str, Any]) -> list[Card]:
    """Returns the cards, of each id the last one: while a picture is made, it has several."""
    value = response.get(_CARDS)
    found = [card for item in (value if isinstance(value, list) else [value]) if (card := _card(item))]
    return list({as_identifier(card.get("id")) or number: card for number, card in enumerate(found)}.values())


def _card(item: object) -> dict[str, Any]:
    if not isinstance(item, str):
        return as_object(item)
    try:
        return as_object(parse_json(item.encode("utf-8", "surrogatepass"))[0])
    except ValueError:
        return {}  # it stays as it is, among the others
