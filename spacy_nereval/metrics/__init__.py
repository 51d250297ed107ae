"""The metrics, one per file. Each is registered by one line in setup.cfg."""
