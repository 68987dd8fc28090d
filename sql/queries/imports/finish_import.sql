UPDATE raw.imports
SET
    sha256 = %(sha256)s,
    source = %(source)s,
    reader_version = %(reader_version)s,
    status = %(status)s,
    counts = %(counts)s,
    finished_at = now()
WHERE id = %(id)s;
