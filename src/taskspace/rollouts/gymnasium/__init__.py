"""Playing on a user's Gymnasium environments, in one process or several."""
