"""Show results to people: views with tables and sentences, the formats of tables, the common parts of HTML pages.

May import every room but `cli`.
"""
