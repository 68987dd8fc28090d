"""From records to the ``raw`` tables: sanitising, re-linking, fingerprints, and the writing of new and changed dialogues."""
