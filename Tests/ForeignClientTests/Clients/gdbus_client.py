"""Uses BlueZ through GDBus with object manager and proxies, and prints the results as one JSON object per line."""

import json
import sys

from gi.repository import Gio, GLib

TIMEOUT = 15


def say(**fact):
    print(json.dumps(fact), flush=True)


def wait(condition):
    """Runs the main loop until the condition is true."""
    context = GLib.MainContext.default()
    over = []
    GLib.timeout_add_seconds(TIMEOUT, lambda: over.append(True))
    while not condition():
        assert not over, "the condition did not become true in time"
        context.iteration(True)


def uuid(short):
    return f"0000{short}-0000-1000-8000-00805f9b34fb"


address = sys.argv[1]
manager = Gio.DBusObjectManagerClient.new_for_bus_sync(
    Gio.BusType.SYSTEM, Gio.DBusObjectManagerClientFlags.NONE, "org.bluez", "/", None, None, None
)


def proxies(interface):
    return [found for item in manager.get_objects() if (found := item.get_interface("org.bluez." + interface))]


def get(proxy, name):
    value = proxy.get_cached_property(name)
    return value.unpack() if value is not None else None


def characteristic(short):
    return next(proxy for proxy in proxies("GattCharacteristic1") if get(proxy, "UUID") == uuid(short))


def read(proxy):
    (value,) = proxy.call_sync("ReadValue", GLib.Variant("(a{sv})", ({},)), 0, -1, None).unpack()
    return bytes(value).hex()


def write(proxy, value, kind):
    options = {"type": GLib.Variant("s", kind)}
    proxy.call_sync("WriteValue", GLib.Variant("(aya{sv})", (value, options)), 0, -1, None)


def device():
    return next((proxy for proxy in proxies("Device1") if get(proxy, "Address") == address), None)


adapter = proxies("Adapter1")[0]
say(adapter=get(adapter, "Address"), owner=manager.get_name_owner().startswith(":"))
adapter.call_sync("SetDiscoveryFilter", GLib.Variant("(a{sv})", ({"Transport": GLib.Variant("s", "le")},)), 0, -1, None)
adapter.call_sync("StartDiscovery", None, 0, -1, None)
wait(lambda: device() is not None)
adapter.call_sync("StopDiscovery", None, 0, -1, None)
say(found=get(device(), "Name"))

device().call_sync("Connect", None, 0, -1, None)
wait(lambda: get(device(), "ServicesResolved"))
say(connected=get(device(), "Connected"), services=sorted(get(proxy, "UUID") for proxy in proxies("GattService1")))
say(level=read(characteristic("2a19")))
control = characteristic("2a39")
write(control, b"\x2a", "request")
say(written=read(control))
write(control, b"\x2b", "command")
say(commanded=read(control))

rate = characteristic("2a37")
beats = []


def changed(_, properties, __):
    value = properties.lookup_value("Value", None)
    if value is not None:
        beats.append(bytes(value.unpack()).hex())


rate.connect("g-properties-changed", changed)
rate.call_sync("StartNotify", None, 0, -1, None)
wait(lambda: len(beats) >= 4)
rate.call_sync("StopNotify", None, 0, -1, None)
say(beats=beats[:4])

device().call_sync("Disconnect", None, 0, -1, None)
wait(lambda: not get(device(), "Connected"))
say(connected=get(device(), "Connected"))
