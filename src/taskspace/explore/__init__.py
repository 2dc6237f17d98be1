"""The explorer: a page to look at a finished map and ask it questions, and an HTTP API."""
