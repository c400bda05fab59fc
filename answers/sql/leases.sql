-- The lease: who may publish one puzzle, and under which fence. Rows are never deleted.

-- name: take_lease
-- Acquire a key that is new, expired or released; the fence rises with every acquisition, and above
-- every fence that the ledger or the log has seen, so that a row lost in a repair repeats none.
-- Zero rows: somebody else holds it (lease_held).
INSERT INTO job_leases (key, owner_id, fence, expires_at, updated_at)
SELECT %(key)s, %(owner)s, 1 + coalesce(max(seen.fence), 0), %(expires_at)s, %(now)s
  FROM (
        SELECT fence FROM publication_items WHERE puzzle_id = %(number)s
         UNION ALL
        SELECT fence FROM publication_log WHERE puzzle_id = %(number)s
       ) AS seen
 WHERE true
    ON CONFLICT (key) DO UPDATE
   SET owner_id = excluded.owner_id,
       fence = CASE
                   WHEN excluded.fence > job_leases.fence THEN excluded.fence
                   ELSE job_leases.fence + 1
               END,
       expires_at = excluded.expires_at,
       updated_at = excluded.updated_at
 WHERE job_leases.expires_at <= excluded.updated_at
RETURNING fence

-- name: pin_lease
-- First statement of every transaction that writes under a lease: locks the row, so that no
-- takeover can commit before this transaction does.
-- Zero rows: the lease expired, was released or went to another (lease_lost).
UPDATE job_leases
   SET fence = fence
 WHERE key = %(key)s
   AND owner_id = %(owner)s
   AND fence = %(fence)s
   AND expires_at > %(now)s

-- name: lock_lease
-- After a COMMIT whose answer was lost: wait until the transaction in doubt has ended. By the key
-- alone, since the lease may have expired or changed hands meanwhile.
-- Zero rows: the row was deleted by hand; the transaction in doubt cannot hold it either.
UPDATE job_leases
   SET fence = fence
 WHERE key = %(key)s

-- name: release_lease
-- End a term early: the key can be taken at once, under a higher fence.
-- Zero rows: it was not held any more, and nothing is to be released.
UPDATE job_leases
   SET expires_at = %(now)s,
       updated_at = %(now)s
 WHERE key = %(key)s
   AND owner_id = %(owner)s
   AND fence = %(fence)s
   AND expires_at > %(now)s

-- name: expire_lease
-- An operator ends somebody else's term: the one that was seen, by key, owner and fence. Whoever
-- holds it finds at the next pin that it has expired; inside a batch the row is locked, and this
-- waits for its COMMIT. The row and its fence stay.
-- Zero rows: that term has ended already, and the one that may have followed is left alone.
UPDATE job_leases
   SET expires_at = %(now)s,
       updated_at = %(now)s
 WHERE key = %(key)s
   AND owner_id = %(owner)s
   AND fence = %(fence)s
   AND expires_at > %(now)s
