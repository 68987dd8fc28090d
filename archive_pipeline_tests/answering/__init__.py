"""Answers of models: citations, streams, hostile endpoints."""
