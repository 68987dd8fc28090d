"""Open Assistant's conversations: trees as its exports have them, and messages that stand alone with their parents."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.oasst.dialogue import SOURCE, read_tree
from archive_pipeline.readers.oasst.recognition import recognise, tree_of

READER = Reader(
    SOURCE,
    "Open Assistant trees and messages (JSON lines)",
    1,
    recognise,
    read_tree,
    tree_of=tree_of,
    comes_in_exports=False,
)
