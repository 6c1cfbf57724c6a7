"""What parties train: architectures, layers, optimizers, losses, seeding."""
