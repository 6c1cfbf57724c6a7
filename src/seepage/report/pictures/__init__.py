"""Charts and pictures: where everything lies, before a template draws it."""
