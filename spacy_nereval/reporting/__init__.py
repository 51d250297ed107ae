"""Show results to people: tables for the terminal and for files, and the HTML report.

May import every room but `cli`.
"""
