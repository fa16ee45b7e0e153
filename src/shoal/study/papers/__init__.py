"""The figures and claims of one paper a file, beside what comes out here."""
