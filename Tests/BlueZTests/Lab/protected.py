"""A characteristic that can be used only over an encrypted link."""

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
