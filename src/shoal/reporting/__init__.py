"""Reports that people look at: what is told as data, charts as data, and how both become a page."""
