"""The version of the package. setup.cfg, signatures and count files read it here."""

__version__ = "0.2.0"
