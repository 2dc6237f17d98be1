"""Playing agents on tasks."""
