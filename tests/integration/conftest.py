import pytest

from tests.helpers.ordinary_user import ordinary_user


@pytest.fixture
def user(lab_is_free):
    """A user who is not root."""
    with ordinary_user() as user:
        yield user
