"""Pages as one HTML file that opens without a network: the report, the page on agreement, the page of thresholds.

Each has a folder with its data, its template, and its own style and script. What they share lies here.
Texts, labels, ids and names come from the corpus and are never markup: the
templates escape them, the scripts insert them as text nodes, and a content
security policy allows only the page's own scripts to run.
"""

from ..report_view import PRIMARY
from ..reported_systems import ReportedSystem, with_common_annexes
from .report_page import page

__all__ = ["PRIMARY", "ReportedSystem", "page", "with_common_annexes"]
