-- Contents that no message points to.
DELETE FROM raw.attachment_contents AS content
WHERE NOT EXISTS (SELECT FROM raw.attached_files AS file WHERE file.sha256 = content.sha256)
RETURNING content.sha256;
