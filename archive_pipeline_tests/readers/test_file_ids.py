"""Ids of attached files: in pointers, in names, in lists of names, in folders of an asset server."""

from __future__ import annotations

import pytest

from archive_pipeline.readers.file_ids import id_in_name, ids_of, own_name, pointed_id

UUID = "5f0a1b2c-0000-4000-8000-00000000abcd"


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        ("file-service://file-AbC123", "file-AbC123"),
        ("sediment://file_00000000abcd?shared=1", "file_00000000abcd"),
        ("file-AbC123", "file-AbC123"),
        (UUID, UUID),
        ("SEDIMENT://file_1a", "file_1a"),
        (f"https://example.org/{UUID}", ""),
        ("data:image/png;base64,AAAA", ""),
        ("sandbox:/mnt/data/plot.png", ""),
        ("", ""),
    ],
)
def test_a_pointer_means_an_id_or_nothing(pointer: str, expected: str):
    assert pointed_id(pointer) == expected


@pytest.mark.parametrize(
    ("path", "expected", "name"),
    [
        ("file-AbC123-my photo.png", ("file-AbC123",), "my photo.png"),
        ("audio/file_1a-2b.wav", ("file_1a",), "2b.wav"),
        ("file-AbC123.dat", ("file-AbC123",), None),
        (f"files/{UUID}.pdf", (UUID,), None),
        ("0f.dat", ("file-Named",), "plan.pdf"),
        ("file-Listed.dat", ("file-Listed",), "list.csv"),
        (f"ttl/prod-mc-asset-server/{UUID}/content", (UUID,), None),
        (f"elsewhere/{UUID}/content", (), None),
        ("conversations.json", (), None),
    ],
)
def test_a_file_of_an_export_has_ids_and_a_name_of_the_users(path: str, expected: tuple[str, ...], name: str | None):
    names = {"0f.dat": "dalle-generations/file-Named-plan.pdf", "file-Listed.dat": "uploads/list.csv"}
    assert ids_of(path, names) == expected
    assert not expected or own_name(path, names) == name


def test_an_id_is_a_beginning():
    assert id_in_name("my-file-AbC123.txt") == ""
