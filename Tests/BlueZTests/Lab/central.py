"""What the central of the lab does with the service that the adapter publishes."""

import asyncio

from bumble.att import ATT_Error
from bumble.core import UUID
from bumble.device import Peer


async def use_service(peer: Peer):
    """Reads FFA1 and writes it in reverse to FFA2, then five values of FFA3 and FFA4, and then an error code."""
    await peer.request_mtu(200)
    await peer.discover_services()
    services = peer.get_services_by_uuid(UUID("FFA0"))
    if not services:
        return
    found = await peer.discover_characteristics(service=services[0])
    value, stored, notifying, indicating = (
        next(each for each in found if each.uuid == UUID(uuid)) for uuid in ("FFA1", "FFA2", "FFA3", "FFA4")
    )
    received: asyncio.Queue[bytes] = asyncio.Queue()
    read = await peer.read_value(value)
    await peer.write_value(stored, bytes(read)[::-1], with_response=True)
    await peer.subscribe(notifying, received.put_nowait)
    await peer.subscribe(indicating, received.put_nowait, prefer_notify=False)
    values = [bytes(await received.get()) for _ in range(5)]
    await peer.write_value(stored, b"".join(sorted(values)), with_response=True)
    try:
        await peer.write_value(stored, b"\xff", with_response=True)
    except ATT_Error as error:
        await peer.write_value(stored, bytes([0xEE, error.error_code]), with_response=True)
