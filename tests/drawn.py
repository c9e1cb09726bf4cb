"""What the tests of the figures share."""

import re

BYTES = 30_000  # of one figure


def words(figure):
    """The texts of the drawing."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", figure.svg)


def assert_small_and_the_same_every_time(make):
    """`make()` draws at most BYTES, and the same bytes when it draws again."""
    figure = make()
    assert figure.svg == make().svg
    assert len(figure.svg.encode()) <= BYTES
