"""Many runs, one table: methods compared, privacy against cost, and advice."""
