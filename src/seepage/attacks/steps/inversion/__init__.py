"""Values from equations: released linear models, released bottom models."""
