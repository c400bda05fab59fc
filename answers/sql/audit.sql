-- What one snapshot can show of the guarantees in docs/protocol.md. Each statement's name begins
-- with its guarantee; it returns one line a breach, or rows that answers/audit.py judges because
-- they hold a date to be computed or a body to be read.

-- name: g1_created_once
-- No puzzle was created twice.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || puzzle_id || ' was created ' || count(*) || ' times'
  FROM publication_log
 WHERE kind = 'create'
 GROUP BY puzzle_id
HAVING count(*) > 1
 ORDER BY puzzle_id

-- name: g2_revision_counts_the_log
-- The revision is the number of log rows.
-- Zero rows: the guarantee holds.
SELECT 'the revision is ' || publication_revision || ', the log has '
       || (SELECT count(*) FROM publication_log) || ' rows'
  FROM site_state
 WHERE publication_revision <> (SELECT count(*) FROM publication_log)

-- name: g2_revisions_are_consecutive
-- Each log row follows the one before it.
-- Zero rows: the guarantee holds.
SELECT 'log row ' || later.revision || ' follows no row ' || (later.revision - 1)
  FROM publication_log AS later
 WHERE later.revision > 1
   AND NOT EXISTS (
        SELECT 1 FROM publication_log AS earlier WHERE earlier.revision = later.revision - 1
       )
 ORDER BY later.revision

-- name: g2_site_state_is_one_row
-- There is one revision.
-- Zero rows: the guarantee holds.
SELECT 'site_state has ' || counted.present || ' rows'
  FROM (SELECT count(*) AS present FROM site_state) AS counted
 WHERE counted.present <> 1

-- name: g3_page_was_created
-- A page has its create row.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || page.puzzle_id || ' has a page and no create row'
  FROM answer_posts AS page
 WHERE NOT EXISTS (
        SELECT 1 FROM publication_log AS log
         WHERE log.puzzle_id = page.puzzle_id AND log.kind = 'create'
       )
 ORDER BY page.puzzle_id

-- name: g3_created_page_is_there
-- What the log knows has a page.
-- Zero rows: the guarantee holds.
SELECT DISTINCT 'puzzle ' || log.puzzle_id || ' is in the log and has no page'
  FROM publication_log AS log
 WHERE NOT EXISTS (SELECT 1 FROM answer_posts AS page WHERE page.puzzle_id = log.puzzle_id)
 ORDER BY 1

-- name: g3_item_knows_its_page
-- A page's item is withdrawn where the page is, else published.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || page.puzzle_id || ' has a page and its item is '
       || coalesce(item.state, 'missing')
  FROM answer_posts AS page
  LEFT JOIN publication_items AS item ON item.puzzle_id = page.puzzle_id
 WHERE coalesce(item.state, 'missing')
       <> CASE WHEN page.withdrawn_at IS NULL THEN 'published' ELSE 'withdrawn' END
 ORDER BY page.puzzle_id

-- name: g3_item_has_its_page
-- A published or withdrawn item has its page.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || item.puzzle_id || ' has no page and its item is ' || item.state
  FROM publication_items AS item
 WHERE item.state IN ('published', 'withdrawn')
   AND NOT EXISTS (SELECT 1 FROM answer_posts AS page WHERE page.puzzle_id = item.puzzle_id)
 ORDER BY item.puzzle_id

-- name: g3_page_carries_its_last_token
-- A page is what its last log row made of it.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || page.puzzle_id || ' carries a token that is not its last log row''s'
  FROM answer_posts AS page
 WHERE NOT EXISTS (
        SELECT 1 FROM publication_log AS log
         WHERE log.puzzle_id = page.puzzle_id
           AND log.content_version = page.content_version
           AND log.commit_token = page.commit_token
       )
 ORDER BY page.puzzle_id

-- name: g4_no_fence_fell
-- No lease stands below a fence that was used under its key, and no such lease is missing.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || used.puzzle_id || ' was worked on under fence ' || max(used.fence)
       || ', its lease stands at ' || coalesce(max(lease.fence), 0)
  FROM (
        SELECT puzzle_id, fence FROM publication_items
         UNION ALL
        SELECT puzzle_id, fence FROM publication_log
       ) AS used
  LEFT JOIN job_leases AS lease ON lease.key = 'publication:' || used.puzzle_id
 GROUP BY used.puzzle_id
HAVING max(used.fence) > coalesce(max(lease.fence), 0)
 ORDER BY used.puzzle_id

-- name: g5_fences_rise_along_the_log
-- Nothing was committed under a fence after a higher one.
-- Zero rows: the guarantee holds.
SELECT 'log row ' || later.revision || ' has fence ' || later.fence || ', row '
       || earlier.revision || ' before it ' || earlier.fence
  FROM publication_log AS later
  JOIN publication_log AS earlier
    ON earlier.puzzle_id = later.puzzle_id
   AND earlier.content_version = later.content_version - 1
 WHERE earlier.fence >= later.fence
 ORDER BY later.revision

-- name: g9_page_knows_no_later_bank
-- No page was built on a bank version that its puzzle has not reached, nor the puzzle on the bank's.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || puzzle.number || ' is at bank version ' || puzzle.bank_version
       || ', its page at ' || coalesce(page.bank_version, 0)
       || ', the bank at ' || coalesce((SELECT max(bank_version) FROM site_state), 0)
  FROM puzzles AS puzzle
  LEFT JOIN answer_posts AS page ON page.puzzle_id = puzzle.number
 WHERE coalesce(page.bank_version, 0) > puzzle.bank_version
    OR puzzle.bank_version > coalesce((SELECT max(bank_version) FROM site_state), 0)
 ORDER BY puzzle.number

-- name: g10_indexable_is_one_way
-- No step took a page's indexability away, and the page is as its last step left it.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || log.puzzle_id || ' was indexable at version ' || log.content_version
       || ' and not afterwards'
  FROM publication_log AS log
  JOIN answer_posts AS page ON page.puzzle_id = log.puzzle_id
  LEFT JOIN publication_log AS later
    ON later.puzzle_id = log.puzzle_id
   AND later.content_version = log.content_version + 1
 WHERE log.indexable
   AND NOT coalesce(later.indexable, page.indexable)
 ORDER BY log.revision

-- name: g11_photo_is_one_way
-- No step took a page's photo away, and the page is as its last step left it.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || log.puzzle_id || ' had its photo at version ' || log.content_version
       || ' and not afterwards'
  FROM publication_log AS log
  JOIN answer_posts AS page ON page.puzzle_id = log.puzzle_id
  LEFT JOIN publication_log AS later
    ON later.puzzle_id = log.puzzle_id
   AND later.content_version = log.content_version + 1
 WHERE log.photo <> ''
   AND coalesce(later.photo, page.photo) = ''
 ORDER BY log.revision

-- name: g12_withdrawn_until_reinstated
-- After a withdrawal comes a reinstatement or nothing, and before one only a withdrawal.
-- Zero rows: the guarantee holds.
SELECT 'log row ' || later.revision || ' is ' || later.kind || ' after ' || earlier.kind
  FROM publication_log AS later
  JOIN publication_log AS earlier
    ON earlier.puzzle_id = later.puzzle_id
   AND earlier.content_version = later.content_version - 1
 WHERE (earlier.kind = 'withdraw') <> (later.kind = 'reinstate')
 ORDER BY later.revision

-- name: g12_page_is_withdrawn_as_logged
-- A page is withdrawn exactly when its last step was a withdrawal.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || page.puzzle_id || ' is '
       || CASE WHEN page.withdrawn_at IS NULL THEN 'public' ELSE 'withdrawn' END
       || ' after ' || log.kind
  FROM answer_posts AS page
  JOIN publication_log AS log
    ON log.puzzle_id = page.puzzle_id
   AND log.content_version = page.content_version
 WHERE (page.withdrawn_at IS NOT NULL) <> (log.kind = 'withdraw')
 ORDER BY page.puzzle_id

-- name: g13_created_when_due
-- Every creation with its instant; answers/audit.py computes when it was due.
-- Zero rows: nothing was ever published.
SELECT puzzle_id, created_at
  FROM publication_log
 WHERE kind = 'create'
 ORDER BY puzzle_id

-- name: g17_versions_count_the_log
-- A page's content version is the number of its log rows, which are numbered without a gap.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || page.puzzle_id || ' is at version ' || page.content_version || ' after '
       || count(log.revision) || ' steps'
  FROM answer_posts AS page
  LEFT JOIN publication_log AS log ON log.puzzle_id = page.puzzle_id
 GROUP BY page.puzzle_id, page.content_version
HAVING page.content_version <> count(log.revision)
    OR page.content_version <> max(log.content_version)
    OR min(log.content_version) <> 1
 ORDER BY page.puzzle_id

-- name: g18_no_lease_is_too_long
-- No lease outlives the clock by more than LEASE_SECONDS.
-- Zero rows: the guarantee holds.
SELECT key || ' expires later than LEASE_SECONDS from now'
  FROM job_leases
 WHERE expires_at > %(latest)s
 ORDER BY key

-- name: g21_slots_are_dense
-- A puzzle's slots are 1 to n, each once, and n is at most 50,000.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || puzzle_id || ' has ' || count(*) || ' results in slots ' || min(slot)
       || ' to ' || max(slot)
  FROM daily_results
 GROUP BY puzzle_id
HAVING min(slot) <> 1
    OR max(slot) <> count(*)
    OR count(DISTINCT slot) <> count(*)
    OR count(*) > 50000
 ORDER BY puzzle_id

-- name: g21_once_a_session
-- A session has one result a puzzle.
-- Zero rows: the guarantee holds.
SELECT 'puzzle ' || puzzle_id || ' has ' || count(*) || ' results of one session'
  FROM daily_results
 GROUP BY puzzle_id, session_id
HAVING count(*) > 1
 ORDER BY puzzle_id

-- name: g21_accepted_in_time
-- Every puzzle's last result; answers/audit.py computes when its window closed.
-- Zero rows: nobody has played.
SELECT puzzle_id, max(created_at)
  FROM daily_results
 GROUP BY puzzle_id
 ORDER BY puzzle_id

-- name: g21_page_counts_every_result
-- Every page's distribution beside what the results add up to; answers/audit.py reads the body.
-- Zero rows: nothing was ever published.
SELECT page.puzzle_id, page.games, page.body, result.outcome, result.guesses_used,
       count(result.slot)
  FROM answer_posts AS page
  LEFT JOIN daily_results AS result ON result.puzzle_id = page.puzzle_id
 GROUP BY page.puzzle_id, result.outcome, result.guesses_used
 ORDER BY page.puzzle_id
