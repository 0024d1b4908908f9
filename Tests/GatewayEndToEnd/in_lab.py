"""Runs ble-gateway with a real bluetoothd and a real mosquitto, in the virtual machine of Tests/BlueZTests/Lab.

in_lab.py BLE_GATEWAY   prints a line for each check, and exits 1 if one fails. Its peripherals: lab_peripherals.py.
"""

import json
import signal
import socket
import subprocess
import sys
import time

from end_to_end import Broker, Failure, Subscriber, check, free_port, main, wait_until, without_gap

NAME = "end-to-end"
STRAP = "F0F1F2F3F400"
TAG = "F0F1F2F3F440"
# Code runs up to 20 times slower in the machine.
LONG = 180


def write_configuration(folder, port, metrics):
    path = folder / "gateway.yaml"
    path.write_text(
        f"name: {NAME}\nbroker: {{ host: 127.0.0.1, port: {port}, maximum-delay: 2 s }}\n"
        f"store: {{ path: store.sqlite }}\nmetrics: {{ port: {metrics} }}\n"
        "publishing: { maximum-interval: 5 s }\n"
        'devices:\n  - address: "F0:F1:F2:F3:F4:00"\n    name: strap\n    jobs:\n'
        "      - notify: Heart Rate Measurement\n        name: pulse\n"
        "      - read: Battery Level\n        every: 5 s\n"
    )
    path.chmod(0o600)
    return path


def payloads(subscriber, device):
    """The messages about a device that have an id."""
    with subscriber.lock:
        found = [(topic, payload) for topic, payload in subscriber.messages if topic.endswith(f"/{device}")]
    return [(topic, json.loads(payload)) for topic, payload in found if payload.startswith(b'{"mid"')]


def with_text(subscriber, device, text):
    return [message for _, message in payloads(subscriber, device) if text in json.dumps(message)]


def steps(broker, subscriber, gateway):
    wait_until(lambda: subscriber.last(f"home/{NAME}/LWT") == b"online", "the gateway is online", LONG)
    wait_until(lambda: with_text(subscriber, TAG, "24.3"), "the RuuviTag is published with 24.3 °C", LONG)
    wait_until(lambda: len(with_text(subscriber, STRAP, "2A37")) > 20, "notifications of the heart rate are published", LONG)
    wait_until(lambda: with_text(subscriber, STRAP, "2A19"), "the battery level is read", LONG)
    command = {"id": "1", "deadline": "60s", "steps": [{"write": "2A39", "value": "01"}, {"read": "2A38"}]}
    subscriber.client.publish(f"home/{NAME}/commands/{STRAP}", json.dumps(command), qos=1)
    wait_until(lambda: subscriber.last(f"home/{NAME}/results/{STRAP}"), "a command has a result", LONG)
    result = json.loads(subscriber.last(f"home/{NAME}/results/{STRAP}"))
    check(result["ok"] and result["values"][-1]["hex"] == "01", "it has written and read")

    before = {message["mid"] for device in (STRAP, TAG) for _, message in payloads(subscriber, device)}
    broker.stop()
    time.sleep(20)
    broker.start()
    # The machine is so slow that messages wait at almost any time, so the store need not be empty.
    wait_until(
        lambda: len(without_gap(subscriber)) > len(before) + 200,
        "the broker was down for 20 s, and no message of before, meanwhile or after is missing", LONG)

    subprocess.run(["killall", "-9", "bluetoothd"], check=True)
    time.sleep(5)
    subscriber.clear()
    daemon = subprocess.Popen(["/usr/libexec/bluetooth/bluetoothd", "-n", "-E"], stderr=subprocess.DEVNULL)
    wait_until(lambda: with_text(subscriber, TAG, "24.3"), "readings arrive after a crash of bluetoothd", LONG)
    wait_until(lambda: len(with_text(subscriber, STRAP, "2A37")) > 20, "notifications arrive after it", LONG)

    gateway.send_signal(signal.SIGTERM)
    check(gateway.wait(60) == 0, "SIGTERM ends the gateway with exit code 0")
    wait_until(lambda: subscriber.last(f"home/{NAME}/LWT") == b"offline", "the gateway is offline")
    daemon.kill()


def run(folder, ble_gateway):
    broker = Broker(folder)
    broker.start()
    wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", broker.port)) == 0, "mosquitto runs", LONG)
    port = free_port()
    subscriber = Subscriber(broker.port)
    with open(folder / "log", "wb") as log:
        gateway = subprocess.Popen([ble_gateway, write_configuration(folder, broker.port, port)], stderr=log)
        try:
            steps(broker, subscriber, gateway)
        finally:
            gateway.kill()
            gateway.wait()
            broker.stop(kill=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], __doc__, 1, run))
