"""One file a metric. Each is made known by one line in setup.cfg."""
