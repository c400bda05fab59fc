-- The page write of a reinstatement. Pins before it, and everything after it, as in commit.sql.

-- name: reinstate_page
-- Put a withdrawn page back as it was, where the whole guard holds; if the bank has changed since,
-- the next run updates it.
-- Zero rows: conflict.
UPDATE answer_posts
   SET content_version = content_version + 1,
       commit_token = %(token)s,
       updated_at = %(now)s,
       withdrawn_at = NULL
 WHERE puzzle_id = %(number)s
   AND content_version = %(builds_on)s
   AND withdrawn_at IS NOT NULL
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
       )
   AND EXISTS (
        SELECT 1 FROM puzzles
         WHERE number = %(number)s
           AND bank_version = %(bank_version)s
       )
