-- What writes the bank, in the order a transaction runs it: puzzle rows are locked by number
-- first, then the site's row by its bump, then rows are written.

-- name: raise_bank_version
-- Purpose: gives this transaction a bank version of its own, and the site a new revision token.
-- Zero rows: the site's one row is missing; nothing may be written to the bank.
UPDATE site_state
SET bank_version = bank_version + 1, revision_token = %(revision_token)s, updated_at = %(now)s
WHERE id = 1
RETURNING bank_version;

-- name: replace_puzzle
-- Purpose: another item for a day that has not begun.
-- Zero rows: the puzzle has started or is gone; roll back.
UPDATE puzzles
SET name = %(name)s, size = %(size)s, price_cents = %(price_cents)s,
    photo_source = %(photo_source)s, photo = %(photo)s, photo_ready = %(photo_ready)s,
    bank_version = %(bank_version)s
WHERE number = %(number)s
  AND number > %(today)s
RETURNING number;

-- name: attach_photo
-- Purpose: a photo that is ready; with a correction the only change that a started row allows.
-- Zero rows: the puzzle is gone, or already shows this photo; roll back.
UPDATE puzzles
SET photo = %(photo)s, photo_ready = %(photo_ready)s, bank_version = %(bank_version)s
WHERE number = %(number)s
  AND NOT (photo_ready AND photo = %(photo)s)
RETURNING number;
