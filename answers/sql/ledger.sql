-- The attempt record of an item, written only while the lease is held. pin_lease (leases.sql) runs
-- first in the same transaction; the guard stands here a second time.

-- name: claim_open_item
-- Take up a first publication: pending, failed or abandoned items become processing.
-- Zero rows: the item is published or withdrawn, not due yet, or was claimed under a higher fence.
UPDATE publication_items
   SET state = 'processing',
       fence = %(fence)s,
       attempts = attempts + 1,
       updated_at = %(now)s
 WHERE puzzle_id = %(number)s
   AND state IN ('pending', 'failed', 'processing')
   AND fence < %(fence)s
   AND due_at <= %(now)s
   AND EXISTS (
        SELECT 1 FROM job_leases
         WHERE key = %(key)s
           AND owner_id = %(owner)s
           AND fence = %(fence)s
           AND expires_at > %(now)s
       )

-- name: claim_settled_item
-- Take up a change of an existing page: the state stays, the fence and the attempt are recorded.
-- Zero rows: the item is in another state, or was claimed under a higher fence.
UPDATE publication_items
   SET fence = %(fence)s,
       attempts = attempts + 1,
       updated_at = %(now)s
 WHERE puzzle_id = %(number)s
   AND state = %(state)s
   AND state IN ('published', 'withdrawn')
   AND fence < %(fence)s
   AND EXISTS (
        SELECT 1 FROM job_leases
         WHERE key = %(key)s
           AND owner_id = %(owner)s
           AND fence = %(fence)s
           AND expires_at > %(now)s
       )

-- name: record_attempt
-- Say how an attempt ended that made no public change; only processing can become failed.
-- Zero rows: the item was claimed by another or is in another state; it is theirs to record.
UPDATE publication_items
   SET state = CASE
                   WHEN state = 'processing' AND %(outcome)s = 'failed' THEN 'failed'
                   ELSE state
               END,
       last_outcome = %(outcome)s,
       last_error = %(error)s,
       updated_at = %(now)s
 WHERE puzzle_id = %(number)s
   AND fence = %(fence)s
   AND EXISTS (
        SELECT 1 FROM job_leases
         WHERE key = %(key)s
           AND owner_id = %(owner)s
           AND fence = %(fence)s
           AND expires_at > %(now)s
       )
