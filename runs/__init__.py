"""What a run is and all that moves it."""
