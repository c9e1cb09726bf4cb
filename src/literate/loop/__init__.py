"""The edit loop: what runs again, and what is woven again, after an edit.

The verb is in `watch.py`, its server in `serve.py`.
"""
