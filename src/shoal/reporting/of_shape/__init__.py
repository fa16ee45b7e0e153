"""The parts of a report that depend on the shape of the release: how to read it, its charts, risk and cost."""
