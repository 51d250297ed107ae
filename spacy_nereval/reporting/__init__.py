"""Show results to people: views with tables and sentences, the formats of tables, and what all HTML pages share.

May import every room but `cli`.
"""
