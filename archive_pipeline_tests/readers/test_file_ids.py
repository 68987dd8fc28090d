"""Ids of attached files: in pointers, in names, in lists of names, in folders of an asset server."""

from __future__ import annotations

import pytest

from archive_pipeline.readers.file_ids import id_in_name, ids_of, own_name, pointed_id, word_of

UUID = "5f0a1b2c-0000-4000-8000-00000000abcd"


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        ("file-service://file-AbC123", "file-AbC123"),
        ("sediment://file_00000000abcd?shared=1", "file_00000000abcd"),
        ("file-AbC123", "file-AbC123"),
        (UUID, UUID),
        (UUID.upper(), UUID),
        ("1770514213626 - 185.png", "1770514213626 - 185.png"),
        ("asset_77", "asset_77"),
        ("a scan.pdf", ""),
        ("/api/files/asset_77", ""),
        ("SEDIMENT://file_1a", "file_1a"),
        ("sediment://028801d585008c0#file_00ab", "file_00ab"),
        ("sediment://028801d585008c0#file_00ab#p_14.jpg", "028801d585008c0#file_00ab#p_14.jpg"),
        ("sediment://028801d585008c0#file_00ab#p_5.fb4b3d.jpg", "028801d585008c0#file_00ab#p_5.fb4b3d.jpg"),
        ("sediment://028801d585008c0#file_00ab#wm", "028801d585008c0#file_00ab#wm"),
        ("028801d585008c0#", ""),
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
        ("028801d585008c0#file_00ab.png", ("file_00ab",), None),
        ("028801d585008c0#file_00ab-a b.png", ("file_00ab",), "a b.png"),
        ("u/028801d585008c0#file_00ab#p_14.jpg-p_14.jpg", ("028801d585008c0#file_00ab#p_14.jpg",), "p_14.jpg"),
        ("028801d585008c0#file_00ab#p_5.fb4b3d.jpg.dat", ("028801d585008c0#file_00ab#p_5.fb4b3d.jpg",), None),
        ("028801d585008c0#file_00ab#p_14.jpg", ("028801d585008c0#file_00ab#p_14.jpg",), None),
        (f"files/{UUID}.pdf", (UUID,), None),
        (f"files/{UUID.upper()}.pdf", (UUID,), None),
        ("0f.dat", ("file-Named",), "plan.pdf"),
        ("file-Listed.dat", ("file-Listed",), "list.csv"),
        (f"ttl/prod-mc-asset-server/{UUID}/content", (UUID,), None),
        (f"elsewhere/{UUID}/content", (), None),
        ("user-files/1770514213626 - 185.png", ("1770514213626 - 185.png",), None),
        ("user-files/1770514213626 - 185.png.metadata.json", (), None),
        ("conversations.json", (), None),
    ],
)
def test_a_file_of_an_export_has_ids_and_a_name_of_the_users(path: str, expected: tuple[str, ...], name: str | None):
    names = {"0f.dat": "dalle-generations/file-Named-plan.pdf", "file-Listed.dat": "uploads/list.csv"}
    assert ids_of(path, names) == expected
    assert not expected or own_name(path, names) == name


def test_an_id_is_a_beginning():
    assert id_in_name("my-file-AbC123.txt") == ""


@pytest.mark.parametrize(
    ("path", "expected"), [("a/asset_77.tar.gz", "asset_77"), ("asset_77", "asset_77"), ("my scan.pdf", ""), (".x", "")]
)
def test_a_file_may_be_named_by_an_id_of_any_form(path: str, expected: str):
    assert word_of(path) == expected
