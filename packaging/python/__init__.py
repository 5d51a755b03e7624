"""labelaudit finds label ids that a training loss cannot take. It is a program; this package only carries it."""
