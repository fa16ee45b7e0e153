"""Many runs, one table: what the papers claim beside what comes out here."""
