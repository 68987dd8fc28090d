"""The sample archive and the generated corpus."""
