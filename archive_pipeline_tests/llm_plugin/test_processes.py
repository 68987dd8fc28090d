"""`llm` as a user runs it: its plugin is found by the entry point, and a later process has the earlier one's answer."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib

import pytest

from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.postgres, pytest.mark.system]

# A model that answers as long as a file says so.
PLUGIN = """
import os
import llm

class Once(llm.Model):
    model_id = "once"

    def execute(self, prompt, stream, response, conversation):
        with open(os.environ["ONCE"], "x"):
            yield "an answer"

@llm.hookimpl
def register_models(register):
    register(Once())
"""


@pytest.fixture
def run_llm(database, tmp_path):
    """Runs `llm` beside two installed distributions: that of the model, and what pyproject.toml says of this one."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    entry_points = {"once": {"once": "once_plugin"}, "declared": project["entry-points"]["llm"]}
    (tmp_path / "once_plugin.py").write_text(PLUGIN, encoding="utf-8")
    for name, points in entry_points.items():
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        lines = "\n".join(f"{key} = {value}" for key, value in points.items())
        (folder / "entry_points.txt").write_text(f"[llm]\n{lines}\n", encoding="utf-8")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(CHECKOUT)]),
        "LLM_USER_PATH": str(tmp_path / "llm"),
        "ONCE": str(tmp_path / "asked"),
        "ARCHIVE_HOME": str(tmp_path / "home"),
        "ARCHIVE_DATABASE_URL": database.url,
    }
    environment.pop("LLM_LOAD_PLUGINS", None)

    def run(*arguments):
        command = [sys.executable, "-m", "llm", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)

    return run


@pytest.mark.long
def test_a_later_process_has_the_answer_of_an_earlier_one(run_llm, database):
    answers = [run_llm("prompt", "-m", "archive/once", "--no-log", "Hi") for _ in range(2)]
    assert [(answer.stdout, answer.returncode) for answer in answers] == [("an answer\n", 0)] * 2, answers
    assert run_llm("prompt", "-m", "once", "--no-log", "Hi").returncode == 1, "the model itself has no second answer"
    assert query(database, "SELECT door, outcome FROM raw.match_log ORDER BY id") == [
        ("llm", "generated_new"),
        ("llm", "found"),
    ]


def test_a_start_of_llm_does_not_import_the_archive(run_llm):
    """Every `llm` imports its plugins, whatever it does."""
    heavy = "{'psycopg', 'sqlalchemy', 'archive_pipeline.matching', 'archive_pipeline.store'}"
    script = f"import sys, archive_pipeline.llm_plugin; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout == "[]\n"
    assert "archive/once" in run_llm("models", "list").stdout
