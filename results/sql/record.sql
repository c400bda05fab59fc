-- One finished game into the day's shared results, in running order. The clock is read between the
-- pin and the insert: whoever waited at the pin is judged by the time at which its wait ended.

-- name: pin_puzzle
-- Lock the puzzle: recorders of one puzzle come one after the other, and none comes between a
-- publisher's own pin of this row and its COMMIT.
-- Zero rows: the bank has no such puzzle (refused).
UPDATE puzzles
   SET bank_version = bank_version
 WHERE number = %(number)s

-- name: record_result
-- Deduplicate, cap and number in one: a row for a new session, in the next slot, while the window
-- is open and a slot is left. That the puzzle has no page closes the window a second time, for a
-- clock that fell back; nobody can create one before this transaction has ended.
-- Zero rows: already_recorded, closed or full; read_back tells which.
INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, created_at)
SELECT %(number)s, %(session)s, so_far.results + 1, %(outcome)s, %(guesses_used)s, %(now)s
  FROM (
        SELECT coalesce(max(slot), 0) AS results FROM daily_results WHERE puzzle_id = %(number)s
       ) AS so_far
 WHERE so_far.results < %(most)s
   AND %(now)s < %(closes_at)s
   AND NOT EXISTS (SELECT 1 FROM answer_posts WHERE puzzle_id = %(number)s)
    ON CONFLICT (puzzle_id, session_id) DO NOTHING
RETURNING slot

-- name: read_back
-- Why record_result wrote nothing, by precedence, and what is kept of the session.
-- Zero rows: never; it is an aggregate of at most one row.
SELECT CASE
           WHEN count(*) = 1 THEN 'already_recorded'
           WHEN %(now)s >= %(closes_at)s THEN 'closed'
           WHEN EXISTS (SELECT 1 FROM answer_posts WHERE puzzle_id = %(number)s) THEN 'closed'
           ELSE 'full'
       END,
       max(slot), max(outcome), max(guesses_used)
  FROM daily_results
 WHERE puzzle_id = %(number)s
   AND session_id = %(session)s
