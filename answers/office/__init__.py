"""The operator's side of publication: what the admin shows of it, and what may be done there."""
