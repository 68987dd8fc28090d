"""Conversations with Microsoft Copilot, of a personal account: the tables that its privacy dashboard exports."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.microsoft_copilot.dialogue import read_conversation
from archive_pipeline.readers.microsoft_copilot.gathering import RowGatherer
from archive_pipeline.readers.microsoft_copilot.layouts import SOURCE, TABLE_READER, recognise

READER = Reader(
    SOURCE,
    "Microsoft Copilot, of the privacy dashboard (copilot-activity-history.csv)",
    1,
    recognise,
    read_conversation,
    gatherer=RowGatherer,
    table=TABLE_READER,
    comes_in_exports=False,
)
