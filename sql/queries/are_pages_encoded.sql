-- Whether a model encoded any page.
SELECT EXISTS (SELECT FROM derived.page_vectors AS known WHERE known.model = %(model)s) AS is_any;
