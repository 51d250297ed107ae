"""The report of predictions: scores, reasons, and every document with its errors."""
