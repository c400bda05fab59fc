-- The one read of the edge cache, before it looks at anything it holds.

-- name: read_generation
-- The state of the site and the database's clock, in one row, one statement, one round trip. On
-- SQLite clock_timestamp() is lent by costcodle/clock.py.
-- Zero rows: a damaged site; the cache steps aside.
SELECT publication_revision, revision_token, bank_version, clock_timestamp()
  FROM site_state
 WHERE id = 1
