"""How work is cut into pieces and run: tiles, threads, memory."""
