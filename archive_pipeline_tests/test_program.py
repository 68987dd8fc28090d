"""Programs in processes of their own: arguments, garbage, and where modules come from."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from archive_pipeline.program import OBJECTS_BETWEEN, command


def said(folder: Path, *arguments: str, path: Path) -> str:
    """What a module prints that is run in a folder."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(path), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        command(*arguments), cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout


def test_a_module_has_its_arguments_and_is_imported_with_garbage_looked_for_seldom(tmp_path: Path):
    module = "import gc, sys\nat_import = gc.get_threshold()\ndef main(): print(sys.argv[1:], at_import[0])\n"
    (tmp_path / "started.py").write_text(module)
    assert said(tmp_path, "started", "3", "--all", path=tmp_path) == f"['3', '--all'] {OBJECTS_BETWEEN}\n"


def test_no_module_comes_from_the_present_folder(tmp_path: Path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/started.py").write_text("def main(): print('mine')\n")
    (tmp_path / "here").mkdir()
    (tmp_path / "here/started.py").write_text("def main(): print('not mine')\n")
    assert said(tmp_path / "here", "started", path=tmp_path / "mine") == "mine\n"
