"""What the chapter states, which tests check it, and what they found."""
