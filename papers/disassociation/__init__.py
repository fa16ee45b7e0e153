"""Terrovitis, Mamoulis, Liagouris, Skiadopoulos: disassociation, PVLDB 2012. Figures 7 to 11."""
