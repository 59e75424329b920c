"""What operators have in Django admin; Django's autodiscovery loads it by its name."""
