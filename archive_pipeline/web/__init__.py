"""The guard in front of this archive's web servers (Host, Origin, tokens, peers), and requests to endpoints."""
