-- What a correction does beside the batch of commit.sql: it writes the puzzle's row where the others
-- pin it, and both rows get the bank version that the site's row gives when its turn has come in
-- the lock order.

-- name: correct_puzzle
-- Errata on a published puzzle: with its photo the only change that a started row allows.
-- Zero rows: conflict.
UPDATE puzzles
   SET name = %(name)s,
       price_cents = %(price)s,
       correction_note = %(note)s
 WHERE number = %(number)s
   AND bank_version = %(bank_version)s
   AND (photo_ready OR NOT %(needs_ready_photo)s)
   AND EXISTS (
        SELECT 1 FROM publication_items
         WHERE puzzle_id = %(number)s
           AND state = 'published'
           AND fence = %(fence)s
       )

-- name: raise_revision_and_bank
-- One step of the publication revision and one of the bank's version, where the token landed.
-- Zero rows: a broken assumption, roll back.
UPDATE site_state
   SET publication_revision = publication_revision + 1,
       bank_version = bank_version + 1,
       revision_token = %(revision_token)s,
       updated_at = %(now)s
 WHERE id = 1
   AND EXISTS (
        SELECT 1 FROM answer_posts
         WHERE puzzle_id = %(number)s
           AND commit_token = %(token)s
       )
RETURNING publication_revision, bank_version

-- name: stamp_puzzle
-- The bank version at which the puzzle now changed, where the token landed.
-- Zero rows: a broken assumption, roll back.
UPDATE puzzles
   SET bank_version = %(bank_version)s
 WHERE number = %(number)s
   AND EXISTS (
        SELECT 1 FROM answer_posts
         WHERE puzzle_id = %(number)s
           AND commit_token = %(token)s
       )

-- name: stamp_page
-- The same on the page, so that the next run finds nothing out of date.
-- Zero rows: a broken assumption, roll back.
UPDATE answer_posts
   SET bank_version = %(bank_version)s
 WHERE puzzle_id = %(number)s
   AND commit_token = %(token)s
