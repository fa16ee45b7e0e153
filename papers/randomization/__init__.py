"""Mohaisen, Jho, Hong, Nyang: MASK, fake transactions and their hybrid, IEICE 2010. Tables 2, 3, 5 to 8."""
