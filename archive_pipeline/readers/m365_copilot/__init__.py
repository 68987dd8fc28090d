"""Interactions with Microsoft 365 Copilot, of a work or school account, as Microsoft Graph exports them."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.m365_copilot.dialogue import SOURCE, read_session
from archive_pipeline.readers.m365_copilot.recognition import recognise, sessions_before, tree_of

READER = Reader(
    SOURCE,
    "Microsoft 365 Copilot's interactions (getAllEnterpriseInteractions of Microsoft Graph)",
    1,
    recognise,
    read_session,
    tree_of=tree_of,
    inner=sessions_before,
    comes_in_exports=False,
)
