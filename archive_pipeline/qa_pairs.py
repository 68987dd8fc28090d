"""``build_qa_pairs`` and ``content_hash`` (seed 004): contract names; the code is in ``derive``."""

from archive_pipeline.derive.conversation_pairs import QAPair, build_qa_pairs
from archive_pipeline.derive.qa_pairs import content_hash

__all__ = ["QAPair", "build_qa_pairs", "content_hash"]
