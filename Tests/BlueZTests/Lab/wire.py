"""The way to the kernel."""

import errno
import os


class Wire:
    """Writes packets to the kernel, and drops them while the adapter is off.

    The kernel refuses packets while the adapter is off. asyncio would then close the file, which unplugs the adapter."""

    def __init__(self, file: int):
        self.file = file

    def on_packet(self, packet: bytes):
        try:
            os.write(self.file, packet)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
