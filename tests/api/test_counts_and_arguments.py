"""Arguments beside counts: what counting has settled already is refused by its name, and nothing is ignored."""
