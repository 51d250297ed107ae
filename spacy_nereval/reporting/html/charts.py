"""The libraries that draw charts without a network, and what tells systems apart in charts."""

from __future__ import annotations

from functools import cache

from ...core.messages import install

GLYPHS = "●■◆✚▶◀★✖"
"""Characters like the symbols, for the legend."""

INSTALL = f'charts need Altair and vl-convert, which the extra "report" brings: {install("report")}'


@cache
def scripts() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script.

    Raises:
        ValueError: If they are not installed. The message names the extra that installs them.
    """
    try:
        import altair
        import vl_convert
    except ImportError:
        raise ValueError(INSTALL) from None
    version = ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", version).replace("</script", "<\\/script")
