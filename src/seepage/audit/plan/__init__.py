"""What to audit: plans, defaults, and settings that people write."""
