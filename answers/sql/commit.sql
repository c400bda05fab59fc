-- The batch that publishes or updates one page, in running order, which is also the lock order:
-- lease, item, puzzle, page, site state, log. pin_lease (leases.sql) is its first statement. Every
-- other batch shares all but the page write, which is in withdraw.sql, reinstate.sql, correct.sql.
-- Every condition's row is the statement's own target, was pinned by an earlier statement of this
-- transaction, or is immutable. The guard stands in the page write; every later statement hangs on
-- the commit token that the page write sets.

-- name: pin_item
-- Lock the item in the state and under the fence that this attempt claimed.
-- Zero rows: conflict.
UPDATE publication_items
   SET fence = fence
 WHERE puzzle_id = %(number)s
   AND state = %(state)s
   AND fence = %(fence)s

-- name: pin_puzzle
-- Lock the puzzle as the draft saw it. This also ends the day's results: a recorder pins the same
-- row before it reads the clock, so none that this batch does not count can still be accepted.
-- Zero rows: conflict.
UPDATE puzzles
   SET bank_version = bank_version
 WHERE number = %(number)s
   AND bank_version = %(bank_version)s
   AND (photo_ready OR NOT %(needs_ready_photo)s)

-- name: write_page
-- Create or update the page, where the whole guard holds and no one-way rule is broken.
-- Zero rows: conflict.
INSERT INTO answer_posts (
       puzzle_id, content_version, commit_token, bank_version, title, body, price_cents, games,
       indexable, photo, published_at, updated_at, withdrawn_at
       )
SELECT %(number)s, %(builds_on)s + 1, %(token)s, %(bank_version)s, %(title)s, %(body)s, %(price)s,
       %(games)s, %(indexable)s, %(photo)s, %(now)s, %(now)s, NULL
 WHERE %(due_at)s <= %(now)s
   AND EXISTS (
        SELECT 1 FROM job_leases
         WHERE key = %(key)s
           AND owner_id = %(owner)s
           AND fence = %(fence)s
           AND expires_at > %(now)s
       )
   AND EXISTS (
        SELECT 1 FROM publication_items
         WHERE puzzle_id = %(number)s
           AND state = %(state)s
           AND fence = %(fence)s
           AND due_at <= %(now)s
       )
   AND EXISTS (
        SELECT 1 FROM puzzles
         WHERE number = %(number)s
           AND bank_version = %(bank_version)s
           AND (photo_ready OR NOT %(needs_ready_photo)s)
       )
   AND %(games)s = (SELECT count(*) FROM daily_results WHERE puzzle_id = %(number)s)
   AND %(builds_on)s = coalesce(
        (SELECT content_version FROM answer_posts WHERE puzzle_id = %(number)s), 0
       )
    ON CONFLICT (puzzle_id) DO UPDATE
   SET content_version = answer_posts.content_version + 1,
       commit_token = excluded.commit_token,
       bank_version = excluded.bank_version,
       title = excluded.title,
       body = excluded.body,
       price_cents = excluded.price_cents,
       games = excluded.games,
       indexable = excluded.indexable,
       photo = excluded.photo,
       updated_at = excluded.updated_at
 WHERE answer_posts.content_version = %(builds_on)s
   AND answer_posts.withdrawn_at IS NULL
   AND (excluded.indexable OR NOT answer_posts.indexable)
   AND (excluded.photo <> '' OR answer_posts.photo = '')

-- name: move_item
-- The item's new state, where the token landed.
-- Zero rows: a broken assumption, roll back.
UPDATE publication_items
   SET state = %(new_state)s,
       last_outcome = %(outcome)s,
       last_error = '',
       updated_at = %(now)s
 WHERE puzzle_id = %(number)s
   AND state = %(state)s
   AND fence = %(fence)s
   AND EXISTS (
        SELECT 1 FROM answer_posts
         WHERE puzzle_id = %(number)s
           AND commit_token = %(token)s
       )

-- name: raise_revision
-- One step of the site's publication revision, where the token landed. From here to COMMIT the row
-- is locked, so revisions are consecutive and the log can take the number that this returns.
-- Zero rows: a broken assumption, roll back.
UPDATE site_state
   SET publication_revision = publication_revision + 1,
       revision_token = %(revision_token)s,
       updated_at = %(now)s
 WHERE id = 1
   AND EXISTS (
        SELECT 1 FROM answer_posts
         WHERE puzzle_id = %(number)s
           AND commit_token = %(token)s
       )
RETURNING publication_revision

-- name: append_log
-- What happened, under the revision that raise_revision returned, where the token landed.
-- Zero rows: a broken assumption, roll back.
INSERT INTO publication_log (
       revision, puzzle_id, kind, content_version, commit_token, owner_id, fence, created_at,
       indexable, photo, reason
       )
SELECT %(revision)s, puzzle_id, %(kind)s, content_version, commit_token, %(owner)s, %(fence)s,
       %(now)s, indexable, photo, %(reason)s
  FROM answer_posts
 WHERE puzzle_id = %(number)s
   AND commit_token = %(token)s

-- name: read_page
-- The page as this transaction leaves it.
-- Zero rows: a broken assumption, roll back.
SELECT content_version
  FROM answer_posts
 WHERE puzzle_id = %(number)s
   AND commit_token = %(token)s

-- name: find_token
-- After a COMMIT whose answer was lost, behind lock_lease: did this token land? The log is asked,
-- not the page, whose token a later update overwrites.
-- Zero rows: it did not land, and cannot any more.
SELECT revision, content_version
  FROM publication_log
 WHERE commit_token = %(token)s
