"""What the map is good for."""
