"""Five papers, reproduced: one package for each paper, run as ``python -m papers.NAME``. Not part of the wheel."""
