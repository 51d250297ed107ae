"""The page of thresholds: cuts of the scores of predictions, and what they are worth."""
