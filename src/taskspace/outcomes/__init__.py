"""How it went: success counts, and tables of results in and out."""
