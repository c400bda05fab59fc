-- The page write of a withdrawal. Pins before it, and everything after it, as in commit.sql.

-- name: withdraw_page
-- Take a page back, where the whole guard holds; its content stays for a reinstatement.
-- Zero rows: conflict.
UPDATE answer_posts
   SET content_version = content_version + 1,
       commit_token = %(token)s,
       updated_at = %(now)s,
       withdrawn_at = %(now)s
 WHERE puzzle_id = %(number)s
   AND content_version = %(builds_on)s
   AND withdrawn_at IS NULL
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
