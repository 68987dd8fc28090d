"""Calls of models as tracing tools log them: OpenTelemetry, OpenInference, Langfuse, LangSmith."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.llm_spans.dialogue import SOURCE, other_dialogues, read_calls
from archive_pipeline.readers.llm_spans.gathering import SpanGatherer
from archive_pipeline.readers.llm_spans.recognition import recognise

READER = Reader(
    SOURCE,
    "Calls of models in traces (OpenTelemetry, OpenInference, Langfuse, LangSmith)",
    1,
    recognise,
    read_calls,
    gatherer=SpanGatherer,
    inner=other_dialogues,
    comes_in_exports=False,
)
