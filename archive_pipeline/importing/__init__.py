"""From records to the ``raw`` tables: sanitising, re-linking, fingerprints, writing of new and changed dialogues."""
