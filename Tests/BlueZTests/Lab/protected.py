"""Characteristics that can be used only over an encrypted link, or not even then."""

from bumble.att import ATT_Error, ErrorCode
from bumble.gatt import (
    GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR,
    Characteristic,
    CharacteristicValue,
    Descriptor,
)


def protected(uuid: str, value: bytes) -> Characteristic:
    """A characteristic whose value, description and notifications need an encrypted link."""
    held = {"value": value, "text": b"text", "switch": bytes(2)}
    permission = Characteristic.READ_REQUIRES_ENCRYPTION | Characteristic.WRITE_REQUIRES_ENCRYPTION

    def part(name: str) -> CharacteristicValue:
        return CharacteristicValue(
            read=lambda _connection: held[name],
            write=lambda _connection, new: held.__setitem__(name, bytes(new)),
        )

    return Characteristic(
        uuid,
        Characteristic.Properties.READ | Characteristic.Properties.WRITE | Characteristic.Properties.NOTIFY,
        permission,
        part("value"),
        [
            Descriptor("2901", permission, part("text")),
            Descriptor(GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR, permission, part("switch")),
        ],
    )


def demanding(uuid: str) -> Characteristic:
    """A characteristic that demands a pairing with a passkey. The peripherals can only pair without one."""

    def refuse(_connection) -> bytes:
        raise ATT_Error(ErrorCode.INSUFFICIENT_AUTHENTICATION)

    return Characteristic(
        uuid, Characteristic.Properties.READ, Characteristic.READABLE, CharacteristicValue(read=refuse)
    )
