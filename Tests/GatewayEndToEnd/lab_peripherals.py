"""Two peripherals for in_lab.py: a heart rate monitor, and a RuuviTag that counts its measurements.

Prints "ready" when both advertise.
"""

import asyncio
import importlib.util
import pathlib
import sys

LAB = pathlib.Path(__file__).resolve().parent.parent / "BlueZTests/Lab/peripherals.py"
# The peripherals of the lab start when the file runs as a program, so only its definitions are executed.
lab = importlib.util.module_from_spec(importlib.util.spec_from_file_location("lab", LAB))
sys.modules["lab"] = lab
sys.path.insert(0, str(LAB.parent))
exec(compile(LAB.read_text().replace("\nasyncio.run(main())\n", "\n"), LAB, "exec"), lab.__dict__)

RUUVI = 0x40


def ruuvi(count):
    """An advertisement in Ruuvi's format 5, of 24.3 °C, 53.49 % and 1000.44 hPa, with this measurement number."""
    payload = bytes.fromhex("0512fc5394c37c0004fffc040cac3642") + count.to_bytes(2, "big") + bytes.fromhex("f0f1f2f3f440")
    return bytes(lab.AdvertisingData([(lab.AdvertisingData.MANUFACTURER_SPECIFIC_DATA, b"\x99\x04" + payload)]))


async def measure(device):
    """Sends another advertisement each second."""
    for count in range(1, 65535):
        await asyncio.sleep(1)
        await device.send_command(lab.hci.HCI_LE_Set_Advertising_Data_Command(advertising_data=ruuvi(count)))


async def main():
    air = lab.Air()
    kernel, wire = await lab.open_kernel()
    lab.Radio("hci0", host_source=kernel.source, host_sink=wire, link=air, public_address=f"{lab.ADAPTER}/P")
    strap = lab.heart_rate_monitor(0x00, "HRM-0", 0)
    lab.background(lab.notify(await lab.switch_on(strap, air), strap.stream))
    tag = await lab.switch_on(lab.DataSheet(RUUVI, "Ruuvi"), air)
    lab.background(measure(tag))
    print("ready", flush=True)
    await kernel.source.terminated


asyncio.run(main())
