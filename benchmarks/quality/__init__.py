"""What search finds: questions about facts in sessions, generated and published (the kinds of LongMemEval)."""
