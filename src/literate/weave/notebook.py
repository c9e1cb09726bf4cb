"""The notebook: the chapter's cells to run, its prose as plain Markdown."""


def to_notebook(chapter, markdown, results):
    """The notebook as text, and the problems met."""
    raise NotImplementedError
