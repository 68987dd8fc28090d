"""Exports in object storage (S3, Google Cloud Storage): listed, copied into the home, and read as files there.

Readers know nothing of it: they are given places (``archive_pipeline.readers.places``). A copy is whole and of one
version before anything is imported from it, so a storage that fails never looks like an export that has lost something.
"""
