"""Reports for readers: facts as data, charts as data, and their conversion to a page."""
