"""Session traces, in the simple format of Hugging Face's trace viewer (STS)."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.session_trace.dialogue import SOURCE, read_session
from archive_pipeline.readers.session_trace.recognition import is_header, recognise

READER = Reader(SOURCE, "Session traces (STS, JSON lines)", 1, recognise, read_session, is_line=is_header)
