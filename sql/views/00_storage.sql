-- Copies of texts are stored without compression: PostgreSQL's own takes longer than the rest of the load.
ALTER TABLE derived.prompt_response_content
ALTER COLUMN prompt_text SET STORAGE EXTERNAL,
ALTER COLUMN response_text SET STORAGE EXTERNAL;
ALTER TABLE derived.exchange_content
ALTER COLUMN user_text SET STORAGE EXTERNAL,
ALTER COLUMN assistant_text SET STORAGE EXTERNAL,
ALTER COLUMN full_text SET STORAGE EXTERNAL;
ALTER TABLE derived.qa_pairs
ALTER COLUMN question SET STORAGE EXTERNAL,
ALTER COLUMN answer SET STORAGE EXTERNAL;
