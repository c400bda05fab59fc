"""Photos: which may be fetched and from where, what is one, how it is kept."""
