"""Records of a question and its answer, or several answers, of which one is preferred: instruction datasets."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.instructions.dialogue import SOURCE, read_record
from archive_pipeline.readers.instructions.recognition import recognise

READER = Reader(
    SOURCE,
    "Instructions and preferences as texts (Alpaca, Dolly, prompt and completion)",
    1,
    recognise,
    read_record,
    comes_in_exports=False,
    is_plain=True,
)
