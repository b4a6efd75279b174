from triton.language.extra import libdevice  # noqa: F401
