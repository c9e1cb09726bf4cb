"""The letters that have a role wear its colour in every formula."""

import re

ROLES = {"Q": "query", "K": "key", "V": "value"}


def color_mathml(html):
    """`<mi>Q</mi>` gets its role as a class."""
    return re.sub(
        f"<mi>([{''.join(ROLES)}])</mi>",
        lambda match: f'<mi class="{ROLES[match[1]]}">{match[1]}</mi>',
        html,
    )
