-- What an operator changes in the bank. Runs where bank.sql says: existing rows locked by number,
-- then the site's row and its bump, then these.

-- name: plan_puzzle
-- Purpose: other facts for a day that has not begun and is as it was read under its lock.
-- Zero rows: the puzzle has started, has changed or is gone; roll back.
UPDATE puzzles
SET name = %(name)s, size = %(size)s, price_cents = %(price_cents)s,
    photo = %(photo)s, photo_ready = %(photo_ready)s, photo_source = %(photo_source)s,
    bank_version = %(bank_version)s
WHERE number = %(number)s
  AND number > %(today)s
  AND bank_version = %(seen)s
RETURNING number;
