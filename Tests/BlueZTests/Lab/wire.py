"""The way to the kernel."""

import errno
import os

from bumble.transport import open_transport


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


async def open_kernel():
    """The connection with the kernel, and what takes the packets for it.

    LAB_RADIO names the connection if the kernel is in another machine than this program. The driver of the serial line there
    accepts packets while the adapter is off."""
    place = os.environ.get("LAB_RADIO", "vhci")
    kernel = await open_transport(place)
    if place != "vhci":
        return kernel, kernel.sink
    return kernel, Wire(kernel.sink.transport.get_extra_info("pipe").fileno())
