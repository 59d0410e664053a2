"""Tables as readers and spreadsheets want them."""
