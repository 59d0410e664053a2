"""`python -m lab`, which is also `lab`."""

from lab.cli import main

if __name__ == "__main__":
    main(prog_name="lab")
