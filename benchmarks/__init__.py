"""Measurements: what the pipeline does per second, on data of a known shape.

Nothing here is part of the package that users install.
"""
