"""The package in Python: score and compare whatever a user has, and look at the results.

May import every room but `cli`.
"""
