"""The simulated peripherals of the lab, each described by a data sheet.

Every peripheral has its own controller on one simulated radio link. The kernel's hci0 is another controller on that
link, connected through /dev/vhci or a serial line, so advertising, connecting, GATT and pairing use the real kernel and the real
bluetoothd. Prints "ready" when every peripheral advertises.
"""

import asyncio
import contextlib
import itertools
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from bumble import hci, ll
from bumble.controller import Controller
from bumble.core import AdvertisingData, PhysicalTransport
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.host import Host
from bumble.l2cap import LeCreditBasedChannelSpec
from bumble.link import LocalLink
from bumble.pairing import PairingConfig, PairingDelegate
from central import use_service
from protected import demanding, protected
from wire import open_kernel

ADAPTER = "00:AA:01:00:00:01"
ADDRESSES = "F0:F1:F2:F3:F4:"  # followed by the last byte from the data sheet
ECHO = 0x80  # the PSM on which every peripheral echoes L2CAP packets
CENTRAL = 0x30  # the last byte of the central that uses services of the adapter
MUTE = 0x21  # the last byte of the peripheral that accepts no connection
RSSI_WHEN_CONNECTED = -52
# bumble formats each packet for its log even if nothing is logged, which takes longer than the transfer.
hci.HCI_AclDataPacket.__str__ = hci.HCI_Event.__str__ = object.__repr__


@dataclass
class Stream:
    """The values that a characteristic notifies while it has a subscriber: one value per period."""

    characteristic: Characteristic
    values: Iterator[bytes]
    period: float  # seconds


@dataclass
class DataSheet:
    last_byte: int
    name: str
    advertised: list[str] = field(default_factory=list)  # 16-bit UUIDs
    manufacturer: bytes = bytes.fromhex("4c00 0102030405")  # company 004C, then five bytes
    services: list[Service] = field(default_factory=list)
    stream: Stream | None = None
    drops_after: float | None = None  # seconds after which the peripheral closes a connection
    drops_when_pairing: bool = False  # closes the connection when the central starts pairing
    forgetting: Characteristic | None = None  # a write to it deletes all bonds of the peripheral


# Kinds of characteristic.


def readable(uuid: str, value: bytes, permission=Characteristic.READABLE, notifies=False) -> Characteristic:
    properties = Characteristic.Properties.READ
    if notifies:
        properties |= Characteristic.Properties.NOTIFY
    return Characteristic(uuid, properties, permission, value)


def notifying(uuid: str) -> Characteristic:
    return Characteristic(uuid, Characteristic.Properties.NOTIFY, Characteristic.READABLE, b"")


def stored(uuid: str, initial: bytes) -> Characteristic:
    """A characteristic that returns the value last written, with or without response."""
    held = [initial]
    return Characteristic(
        uuid,
        Characteristic.Properties.READ
        | Characteristic.Properties.WRITE
        | Characteristic.Properties.WRITE_WITHOUT_RESPONSE,
        Characteristic.READABLE | Characteristic.WRITEABLE,
        CharacteristicValue(
            read=lambda _connection: held[0],
            write=lambda _connection, value: held.__setitem__(0, bytes(value)),
        ),
    )


# The data sheets.


def heart_rate_monitor(last_byte: int, name: str, index: int, **differences) -> DataSheet:
    measurement = notifying("2A37")
    beats = (bytes([0, 60 + count % 60]) for count in itertools.count())  # flags 0, then beats a minute
    return DataSheet(
        last_byte,
        name,
        advertised=["180D"],
        services=[
            Service("180D", [measurement, readable("2A38", bytes([index + 1])), stored("2A39", b"\0")]),
            Service("180F", [readable("2A19", bytes([90 - index]), notifies=True)]),
        ],
        stream=Stream(measurement, beats, period=1 / 20),
        **differences,
    )


def twins() -> DataSheet:
    """Two services with the same UUID, each with a characteristic of the same UUID; only the values differ."""
    services = [Service("FFD0", [readable("FFD1", bytes([value]))]) for value in (11, 22)]
    return DataSheet(0x10, "TWINS", advertised=["FFD0"], services=services)


def secure() -> DataSheet:
    """A peripheral with attributes that can be used only over an encrypted link."""
    secret = readable("FFF1", b"secret", permission=Characteristic.READ_REQUIRES_ENCRYPTION)
    services = [Service("FFF0", [secret]), Service("FFB0", [protected("FFB1", b"vault"), demanding("FFB2")])]
    return DataSheet(0x11, "SECURE", advertised=["FFF0"], services=services)


def refusing() -> DataSheet:
    """A peripheral with values that need pairing (ATT error 05). It disconnects when pairing starts."""
    secret = readable("FFC1", b"secret", permission=Characteristic.READ_REQUIRES_AUTHENTICATION)
    return DataSheet(
        0x20,
        "REFUSING",
        advertised=["FFC0"],
        services=[Service("FFC0", [secret, readable("FFC2", b"open"), protected("FFC3", b"alarm")])],
        drops_when_pairing=True,
    )


def forgetful() -> DataSheet:
    """A peripheral that deletes its bonds when FF92 is written."""
    secret = readable("FF91", b"secret", permission=Characteristic.READ_REQUIRES_ENCRYPTION)
    deletion = stored("FF92", b"\0")
    services = [Service("FF90", [secret, deletion])]
    return DataSheet(0x22, "FORGETFUL", advertised=["FF90"], services=services, forgetting=deletion)


def loud() -> DataSheet:
    """A peripheral that notifies consecutive numbers, a thousand a second."""
    counter = notifying("FFE1")
    counts = (struct.pack(">Q", count) for count in itertools.count())
    return DataSheet(
        0x13,
        "LOUD",
        advertised=["FFE0"],
        services=[Service("FFE0", [counter])],
        stream=Stream(counter, counts, period=1 / 1000),
    )


def sheets() -> list[DataSheet]:
    return [
        *(heart_rate_monitor(index, f"HRM-{index}", index) for index in range(3)),
        twins(),
        secure(),
        heart_rate_monitor(0x12, "FLAKY", 9, drops_after=1.5),
        loud(),
        refusing(),
        forgetful(),
        DataSheet(MUTE, "MUTE"),
        # Red text, a right-to-left override, a tab and a zero-width space. It only advertises.
        DataSheet(0x14, "\x1b[31mEVIL\x1b[0m\u202e\t\u200b", manufacturer=b""),
    ]


# The radio.


class Air(LocalLink):
    """A link that labels packets with the address of their connection.

    bumble's link labels every LE packet with its sender's random address. The adapter connects with its public
    address, so the peripheral would not find the connection."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        connection = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if transport == PhysicalTransport.LE and connection and receiver:
            loop = asyncio.get_running_loop()
            loop.call_soon(receiver.on_link_acl_data, connection.self_address, transport, data)
        else:
            super().send_acl_data(sender_controller, destination_address, transport, data)


class Radio(Controller):
    """bumble's controller with Read RSSI, with a working cancel, disconnect and reset, and without features that do not work.

    Cancel ends a connection attempt, and a reset ends all links. Otherwise their peripherals would stay connected. The reason
    of a link that this computer closes is its own; bumble reports that of the peripheral.

    If the controller announces LL privacy or extended advertising, the kernel waits for the enhanced form of Connection
    Complete, which bumble never sends. After 4 s the kernel cancels the established connection and never closes it:
    bluetoothd shows the device as disconnected, and the peripheral stays connected."""

    le_acl_data_packet_length = 1000  # larger than usual, because each packet costs Python time; vhci takes at most 1,028 bytes
    le_features = Controller.le_features & ~(
        hci.LeFeatureMask.LL_PRIVACY | hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
    )

    def on_hci_read_rssi_command(self, command):
        return hci.HCI_Read_RSSI_ReturnParameters(
            hci.HCI_ErrorCode.SUCCESS, handle=command.handle, rssi=RSSI_WHEN_CONNECTED
        )

    def on_hci_le_set_advertising_parameters_command(self, command):
        answer = super().on_hci_le_set_advertising_parameters_command(command)
        # bumble interprets the unit of 0.625 ms as one millisecond.
        self.le_legacy_advertiser.advertising_interval_min = command.advertising_interval_min * 0.625
        return answer

    def on_hci_le_create_connection_cancel_command(self, command):
        attempt, self.pending_le_connection = self.pending_le_connection, None
        if not attempt:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        given_up = hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
            connection_handle=0,
            role=hci.Role.CENTRAL,
            peer_address_type=attempt.peer_address.address_type,
            peer_address=attempt.peer_address,
            connection_interval=0,
            peripheral_latency=0,
            supervision_timeout=0,
            central_clock_accuracy=0,
        )
        asyncio.get_running_loop().call_soon(self.send_hci_packet, given_up)
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def create_le_connection(self, peer_address):
        """Connects, except to MUTE: it never answers a connection attempt."""
        if peer_address != hci.Address(f"{ADDRESSES}{MUTE:02X}"):
            super().create_le_connection(peer_address)

    is_closing = False

    def on_hci_disconnect_command(self, command):
        if not self.find_connection_by_handle(command.connection_handle):
            # bumble answers nothing else than “pending”, so the kernel would wait for the end of a link that has ended.
            status = hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR
            return self._send_hci_command_status(status, command.op_code)
        self.is_closing = True
        super().on_hci_disconnect_command(command)
        self.is_closing = False

    def on_le_disconnected(self, connection, reason):
        own = hci.HCI_ErrorCode.CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR
        super().on_le_disconnected(connection, own if self.is_closing else reason)

    def on_hci_reset_command(self, command):
        self.pending_le_connection = None
        for connection in self.le_connections.values():
            connection.send_ll_control_pdu(ll.TerminateInd(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR))
        self.le_connections.clear()
        return super().on_hci_reset_command(command)


class Refusal(PairingDelegate):
    """Disconnects instead of answering a pairing request."""

    def __init__(self, connection):
        super().__init__()
        self.connection = connection

    async def accept(self):
        background(self.connection.disconnect())
        # A reply would arrive before the link ends.
        await asyncio.sleep(60)
        return False


def advertisement(sheet: DataSheet) -> bytes:
    fields = [
        (AdvertisingData.FLAGS, bytes([0x06])),  # general discoverable, no BR/EDR
        (AdvertisingData.COMPLETE_LOCAL_NAME, sheet.name.encode()),
    ]
    if sheet.advertised:
        uuids = b"".join(bytes.fromhex(uuid)[::-1] for uuid in sheet.advertised)
        fields.append((AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, uuids))
    if sheet.manufacturer:
        fields.append((AdvertisingData.MANUFACTURER_SPECIFIC_DATA, sheet.manufacturer))
    return bytes(AdvertisingData(fields))


async def switch_on(sheet: DataSheet, air: Air) -> Device:
    host = Host()
    host.controller = Radio(sheet.name, link=air)
    device = Device(name=sheet.name, address=hci.Address(f"{ADDRESSES}{sheet.last_byte:02X}"), host=host)
    device.add_services(sheet.services)
    device.advertising_data = advertisement(sheet)
    if sheet.drops_after is not None:
        device.on("connection", lambda connection: background(drop(connection, sheet.drops_after)))
    if sheet.drops_when_pairing:
        device.pairing_config_factory = lambda connection: PairingConfig(delegate=Refusal(connection))
    if sheet.forgetting:
        sheet.forgetting.value = CharacteristicValue(
            read=lambda _connection: b"\0", write=lambda _connection, _value: background(device.keystore.delete_all())
        )
    device.create_l2cap_server(LeCreditBasedChannelSpec(psm=ECHO, mtu=2048, mps=996, max_credits=64), echo)
    await device.power_on()
    await device.start_advertising(auto_restart=True)
    return device


def echo(channel):
    """Sends each packet of an L2CAP channel back."""
    channel.sink = lambda packet: channel.write(packet)


async def drop(connection, delay: float):
    await asyncio.sleep(delay)
    await connection.disconnect()


async def notify(device: Device, stream: Stream):
    """Notifies one value per period. On a slow machine, values are sent late and in bursts, but none is skipped."""
    subscribers = set()
    subscribed = asyncio.Event()

    def changed(connection, notifies, _indicates):
        (subscribers.add if notifies else subscribers.discard)(connection)
        (subscribed.set if subscribers else subscribed.clear)()

    def connected(connection):
        # The connection has this event, not the device. A subscription ends with its connection.
        connection.on("disconnection", lambda _reason: changed(connection, False, False))

    stream.characteristic.on("subscription", changed)
    device.on("connection", connected)
    now = asyncio.get_running_loop().time
    while True:
        await subscribed.wait()
        due = now()
        while subscribed.is_set():
            await asyncio.sleep(max(0, due - now()))
            due += stream.period
            try:
                await device.notify_subscribers(stream.characteristic, next(stream.values))
            except Exception as error:  # the subscriber has just disconnected
                print(f"{device.name}: not notified: {error!r}", flush=True)


# The central.


async def central(air: Air):
    """Connects to the adapter whenever it advertises as connectable, and uses its service FFA0 once per link."""
    host = Host()
    host.controller = Radio("CENTRAL", link=air)
    device = Device(name="CENTRAL", address=hci.Address(f"{ADDRESSES}{CENTRAL:02X}"), host=host)
    await device.power_on()
    while True:
        connection = await device.connect_le(hci.Address(f"{ADAPTER}/P"), timeout=None)
        try:
            await asyncio.wait_for(use_service(Peer(connection)), timeout=300)
        except Exception as error:
            print(f"CENTRAL: {error!r}", flush=True)
        with contextlib.suppress(Exception):
            await connection.disconnect()


tasks: set[asyncio.Task] = set()


def background(job):
    """Runs a task and keeps a reference to it, because asyncio keeps none."""
    task = asyncio.create_task(job)
    tasks.add(task)
    task.add_done_callback(tasks.discard)


async def main():
    air = Air()
    kernel, wire = await open_kernel()
    Radio("hci0", host_source=kernel.source, host_sink=wire, link=air, public_address=f"{ADAPTER}/P")
    for sheet in sheets():
        device = await switch_on(sheet, air)
        if sheet.stream:
            background(notify(device, sheet.stream))
    background(central(air))
    print("ready", flush=True)
    await kernel.source.terminated


asyncio.run(main())
