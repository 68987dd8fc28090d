"""Where the chunks of a build are computed and written.

An executor takes tasks and gives their results; what a chunk's build does is in ``building.chunks`` and knows nothing
of it. ``opening`` has the choice that ``ARCHIVE_EXECUTOR`` names.
"""
