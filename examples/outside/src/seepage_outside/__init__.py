"""An attack, a defense and a backbone for Seepage, kept outside of it."""
