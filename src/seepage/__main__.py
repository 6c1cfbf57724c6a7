"""Lets ``python -m seepage`` run the command line."""

from seepage.cli import main

if __name__ == "__main__":
    main()
