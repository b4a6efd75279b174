cuda = "12.8"
hip = None
__version__ = "2.9.0"
