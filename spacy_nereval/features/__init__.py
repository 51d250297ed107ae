"""Features: each folder has all of one kind of question, and knows only the kernel. `core.features` describes them."""
