"""Runs two gateways on a mosquitto with the access rights of Deployment/mosquitto.acl, and leaves out each line once.

access.py BLE_CLI BLE_GATEWAY   prints a line for each check, and exits 1 if one fails.

With all lines everything works, and no gateway warns. Without a line, a gateway names a topic that the line allows.
"""

import concurrent.futures
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys

import paho.mqtt.client as mqtt

from end_to_end import Failure, check, end, free_port, main, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "Deployment/mosquitto.acl"
PAGE = ROOT / "docs/gateway-access.md"
GATEWAYS = ("hall", "attic")
STRAP, OTHER = "C0FFEE000001", "C0FFEE000002"
SCENARIO = """
seed: 7
peripherals:
  - name: Strap
    address: C0:FF:EE:00:00:01
    advertisement: { interval: 300 ms, rssi: -50, name: Strap }
    services:
      - uuid: 180f
        characteristics:
          - { uuid: 2a19, properties: [read], value: "57" }
  - name: Ruuvi
    address: C0:FF:EE:00:00:02
    advertisement:
      interval: 500 ms
      rssi: -60
      manufacturer-data: { 0x0499: 05 12fc 5394 c37c 0004 fffc 040c ac36 42 00cd cbb8334c884f }
"""


def blocks(lines):
    """The block of each gateway, made of the lines of the template."""
    return "".join(line.replace("{gateway}", name) + "\n" for name in GATEWAYS for line in lines)


def home_assistant():
    """The block of Home Assistant in the documentation."""
    return re.search(r"^user homeassistant\n(?:topic .*\n)+", PAGE.read_text(), re.MULTILINE)[0]


class Site:
    """A broker with access rights, and two gateways with simulations of their own."""

    def __init__(self, folder, lines, ble_cli, ble_gateway):
        folder.mkdir()
        self.folder, self.ble_cli, self.ble_gateway = folder, ble_cli, ble_gateway
        self.port = free_port()
        self.gateways = {}
        self.logs = {name: folder / f"{name}.log" for name in GATEWAYS}
        for name in (*GATEWAYS, "homeassistant", "observer"):
            create = [] if (folder / "passwords").exists() else ["-c"]
            subprocess.run(
                ["mosquitto_passwd", *create, "-b", folder / "passwords", name, "secret"], check=True, capture_output=True)
        (folder / "acl").write_text(blocks(lines) + home_assistant() + "user observer\ntopic readwrite #\n")
        (folder / "mosquitto.conf").write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous false\npassword_file {folder}/passwords\n"
            f"acl_file {folder}/acl\nuser root\n")
        (folder / "scenario.yaml").write_text(SCENARIO)
        (folder / "password").write_text("secret\n")
        (folder / "password").chmod(0o600)
        self.broker = subprocess.Popen(
            ["mosquitto", "-c", folder / "mosquitto.conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while socket.socket().connect_ex(("127.0.0.1", self.port)) != 0:
            if self.broker.poll() is not None:
                raise Failure("mosquitto does not start")
        self.messages = []
        self.observer = self.client("observer")
        self.observer.on_message = lambda _client, _data, message: self.messages.append((message.topic, message.payload))
        self.observer.subscribe("#", qos=1)
        self.home_assistant = self.client("homeassistant")

    def client(self, user):
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=user)
        client.username_pw_set(user, "secret")
        client.connect("127.0.0.1", self.port)
        client.loop_start()
        return client

    def start(self, name, discovery="known-formats"):
        path = self.folder / f"{name}.yaml"
        path.write_text(
            f"name: {name}\nbroker: {{ host: 127.0.0.1, port: {self.port}, user: {name}, password-file: password }}\n"
            f"home-assistant: {{ discovery: {discovery} }}\nfilter: {{ unknown: true }}\n"
            'devices: [{ address: "C0:FF:EE:00:00:01", name: Strap, jobs: [{ read: "2A19", every: 5 s }] }]\n')
        with open(self.logs[name], "ab") as log:
            self.gateways[name] = subprocess.Popen(
                [self.ble_cli, "simulate", self.folder / "scenario.yaml", "--", self.ble_gateway, path],
                stdout=subprocess.DEVNULL, stderr=log)

    def stop(self, name):
        self.gateways[name].send_signal(signal.SIGTERM)
        return self.gateways[name].wait(60)

    def payloads(self, topic):
        return [payload for name, payload in list(self.messages) if name == topic]

    def warnings(self):
        lines = [line for log in self.logs.values() if log.exists() for line in log.read_text().splitlines()]
        return [line for line in lines if " warning " in line or " error " in line]

    def close(self):
        for client in (self.observer, self.home_assistant):
            client.loop_stop()
        for gateway in self.gateways.values():
            end(gateway)
        self.broker.kill()
        self.broker.wait()


def with_all_lines(site):
    for name in GATEWAYS:
        site.start(name)
    for kind in ("BTtoMQTT/" + OTHER, "presence/" + STRAP, "status", "status/discovered"):
        wait_until(lambda kind=kind: site.payloads(f"home/hall/{kind}"), f"home/hall/{kind} is published")
    wait_until(lambda: b"online" in site.payloads("home/hall/LWT"), "home/hall/LWT is online")
    wait_until(
        lambda: any(b'"hex":"57"' in payload for name in GATEWAYS for payload in site.payloads(f"home/{name}/connection/{STRAP}")),
        "the owner reads the battery level")
    shared = "home/ble-gateways/devices/" + STRAP
    for topic in (f"{shared}/owner", f"{shared}/room", *(f"{shared}/heard/{name}" for name in GATEWAYS)):
        wait_until(lambda topic=topic: site.payloads(topic), f"{topic} is published")
    config = f"homeassistant/device/ble-{OTHER.lower()}/config"
    wait_until(lambda: site.payloads(config), "Home Assistant discovers the other device")
    site.home_assistant.publish(f"home/hall/commands/{STRAP}", '{"id":"1","read":"2A19"}', qos=1)
    wait_until(
        lambda: any(json.loads(payload)["ok"] for payload in site.payloads(f"home/hall/results/{STRAP}")), "a command has its result")
    site.home_assistant.publish("homeassistant/status", "online", qos=1)
    wait_until(lambda: "Home Assistant has started" in site.logs["hall"].read_text(), "the gateway notices Home Assistant's start")
    check(site.stop("hall") == 0, "a gateway stops")
    wait_until(lambda: site.payloads("home/hall/LWT")[-1] == b"offline", "home/hall/LWT is offline")
    before = len([payload for payload in site.payloads(config) if payload])
    site.start("hall", discovery="configured")
    wait_until(lambda: OTHER.encode() in site.payloads("home/ble-gateways/removed"), "it reports a removed device")
    wait_until(
        lambda: len([payload for payload in site.payloads(config) if payload]) > before, "the other gateway discovers it again")
    check(not site.warnings(), f"no gateway warns {site.warnings() or ''}")


def pattern(line):
    """The topics that a line allows, in the text of a log."""
    topic = re.escape(line.split()[2]).replace(re.escape("{gateway}"), "(" + "|".join(GATEWAYS) + ")")
    return re.compile(r"(?<=\s)" + topic.replace(r"\+", "[^/ ]+").replace(r"/\#", r"/[^ ,;:]+").replace("#", "/[^ ,;:]+") + r"(?=[\s,;:])")


def without(site, line):
    for name in GATEWAYS:
        site.start(name)
    if line.endswith("/removed"):
        wait_until(lambda: site.payloads("home/hall/status/discovered"), "the list of discovered devices is published")
        site.stop("hall")
        site.start("hall", discovery="configured")
    wanted = pattern(line)
    wait_until(lambda: any(wanted.search(warning) for warning in site.warnings()), f"without “{line}” a gateway names its topic")


def run(folder, ble_cli, ble_gateway):
    lines = [line for line in TEMPLATE.read_text().splitlines() if line and not line.startswith("#")]
    rights = [line for line in lines if line.startswith("topic ")]
    check(len(rights) == 10, "the file has ten rights")

    def attempt(number, line=None, instead=None):
        kept = [instead if entry == line and instead else entry for entry in lines if entry != line or instead]
        site = Site(folder / str(number), kept, ble_cli, ble_gateway)
        try:
            without(site, line) if line else with_all_lines(site)
        except Failure as failure:
            logs = "\n".join(log.read_text() for log in site.logs.values() if log.exists())
            raise Failure(f"{line or 'all lines'}: {failure}\n{logs}") from failure
        finally:
            site.close()

    (folder / "log").write_text("see above")
    attempt(0)
    # A right to read and write is also left out by halves.
    cases = [(line, None) for line in rights]
    cases += [(line, line.replace("readwrite", half)) for line in rights if "readwrite" in line for half in ("read", "write")]
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for result in [pool.submit(attempt, number, *case) for number, case in enumerate(cases, 1)]:
            result.result()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], __doc__, 2, run))
