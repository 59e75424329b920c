"""Makes `plans` importable, and gives someone who sees all runs and someone who sees his own."""

import pytest
from django.contrib.auth.models import User


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_superuser("vera")


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_user("bob")
