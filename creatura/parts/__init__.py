"""Parts: from the text that names a design, seat or extension to the part itself."""
