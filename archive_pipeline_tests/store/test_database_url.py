"""URLs of databases reach libpq as they are meant, and are shown without what is secret in them."""

from __future__ import annotations

import traceback

import pytest
from psycopg.conninfo import conninfo_to_dict

from archive_pipeline.errors import ConfigurationError, DatabaseUnavailableError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.database_url import libpq_url, url_without_secrets

TEXT = "tiger%2Fburning"
WITH_SECRETS = {
    "before the host": f"postgresql://me:{TEXT}@localhost/archive",
    "a parameter": f"postgresql://me@localhost/archive?password={TEXT}",
    "parameters only": f"postgresql:///archive?host=localhost&user=me&password={TEXT}",
    "no user": f"postgresql:///archive?password={TEXT}",
    "the key's": f"postgresql://me@localhost/archive?sslpassword={TEXT}",
    "of an identity provider": f"postgresql://me@localhost/archive?oauth_client_secret={TEXT}",
}


@pytest.mark.parametrize("name", WITH_SECRETS)
def test_no_form_of_a_secret_is_in_what_is_shown(name: str, tmp_path):
    settings = Settings.from_environment({"ARCHIVE_DATABASE_URL": WITH_SECRETS[name]})
    database = Database(libpq_url(settings.database_url.get_secret_value()))
    shown = [repr(settings), repr(database), str(database), database.shown_url, repr(database.engine)]
    assert not [text for text in shown if "burning" in text]
    assert "archive" in database.shown_url


@pytest.mark.parametrize("name", WITH_SECRETS)
def test_libpq_gets_what_was_written(name: str):
    written, given = conninfo_to_dict(WITH_SECRETS[name]), conninfo_to_dict(libpq_url(WITH_SECRETS[name]))
    assert {key: value for key, value in given.items() if value} == written


@pytest.mark.parametrize("name", WITH_SECRETS)
def test_a_url_without_secrets_has_all_the_rest(name: str):
    written, given = conninfo_to_dict(WITH_SECRETS[name]), conninfo_to_dict(url_without_secrets(WITH_SECRETS[name]))
    rest = {key: value for key, value in written.items() if "burning" not in value}
    assert {key: value for key, value in given.items() if value} == rest


def test_a_space_in_a_parameter_is_one_for_libpq_too():
    url = libpq_url("postgresql://me@/archive?host=%2Fsome%20folder%2Fa%2Bb")
    assert conninfo_to_dict(url)["host"] == "/some folder/a+b"


def test_a_space_before_the_parameters_is_one_for_libpq_too():
    given = conninfo_to_dict(libpq_url("postgresql://a%20me:S3cr3t%20p%40ss%25w%2Frd@localhost/the%20archive"))
    assert given == {"user": "a me", "password": "S3cr3t p@ss%w/rd", "host": "localhost", "dbname": "the archive"}


def test_the_driver_connects_with_a_secret_that_its_engine_does_not_show(own_database: Database):
    database = Database(libpq_url(f"{own_database.url}&sslpassword={TEXT}"))
    with database.session() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    database.engine.dispose()


# What a password that is not percent-encoded is taken apart into: a port, a host, a parameter.
MISREAD = [
    "postgresql://me:burning",
    "postgresql://localhost:burning/archive",
    "postgresql://me:tiger@burning@localhost/archive",
    "postgresql://me:tiger@host/burning@localhost/archive",
    "host=localhost password=burning dbname=archive",
    "burning",
    "mysql://me:burning@localhost/archive",
]


@pytest.mark.parametrize("value", MISREAD)
def test_a_url_that_cannot_be_read_is_never_repeated(value: str, tmp_path):
    with pytest.raises(ConfigurationError, match="ARCHIVE_DATABASE_URL") as raised:
        Database.open(Settings(home=tmp_path, database_url=value))
    assert "burning" not in "".join(traceback.format_exception(raised.value)).replace(repr(value), "")


def test_a_password_file_and_a_service_are_left_to_libpq(tmp_path, monkeypatch):
    passwords = tmp_path / "passwords"
    passwords.write_text("*:*:*:*:burning\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    (tmp_path / "services").write_text("[elsewhere]\nhost=/nowhere\npassword=burning\n")
    url = f"postgresql:///archive?service=elsewhere&passfile={passwords}"
    with pytest.raises(DatabaseUnavailableError) as raised:
        Database.open(Settings(home=tmp_path, database_url=url))
    assert "/nowhere" in str(raised.value)  # the service was found
    assert "burning" not in "".join(traceback.format_exception(raised.value))
