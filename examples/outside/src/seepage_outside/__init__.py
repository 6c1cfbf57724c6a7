"""An attack and a defense for Seepage, kept outside of it."""
