"""Runs the seed's builders over a sample of an archive and prints what they took."""

from __future__ import annotations

import argparse

from sqlalchemy import create_engine

from benchmarks.seed_builders import build_all


def main(arguments: list[str] | None = None) -> None:
    """Build the seed's tables for a sample of dialogues and print rates and rows."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.seed_builders", description="Measure the builders of the seed documents."
    )
    parser.add_argument("url", help="database with a filled schema raw, as `llm-archive db url` prints it")
    parser.add_argument("--dialogues", type=int, default=300, help="how many dialogues to take (default: 300)")
    options = parser.parse_args(arguments)
    engine = create_engine(str(options.url).replace("postgresql://", "postgresql+psycopg://", 1))
    run = build_all(engine, dialogue_limit=options.dialogues)
    engine.dispose()
    print(
        f"{run.dialogues:,} dialogues, {run.messages:,} messages in {run.seconds:.1f} s:"
        f" {run.messages_per_second:.0f} messages/s"
    )
    for builder, seconds in run.seconds_by_builder.items():
        print(f"  {builder:<24}{seconds:>10.1f} s")
    for table, rows in sorted(run.rows.items()):
        print(f"  {table:<24}{rows:>10,} rows")


if __name__ == "__main__":
    main()
