"""The second stage of search: models that read question and text together, and how long they may take."""
