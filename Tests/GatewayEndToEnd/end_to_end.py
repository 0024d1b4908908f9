"""Runs ble-gateway on simulated devices with a real mosquitto, and checks what paho and mosquitto_sub receive.

end_to_end.py BLE_CLI BLE_GATEWAY   prints a line for each check, and exits 1 if one fails.
"""

import json
import os
import pathlib
import pty
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import paho.mqtt.client as mqtt

RECOGNISED = {"Phone", "Find My tag", "Tracker", "Earphones", "Exposure Notification"}
SENSORS = 35
NAME = "end-to-end"


class Failure(Exception):
    """A check that failed."""


def check(condition, text):
    if not condition:
        raise Failure(text)
    print(f"  ok: {text}", flush=True)


def wait_until(condition, text, seconds=120):
    """Polls a condition that other processes make true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"{text} (not within {seconds} s)")
        time.sleep(0.05)
    print(f"  ok: {text}", flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Broker:
    """A mosquitto that keeps its sessions and messages in a file, also if it is killed."""

    def __init__(self, folder):
        self.port = free_port()
        self.configuration = folder / "mosquitto.conf"
        self.configuration.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
            f"persistence_location {folder}/\nautosave_on_changes true\nautosave_interval 1\n"
            "max_queued_messages 0\nuser root\n"
        )
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            ["mosquitto", "-c", self.configuration], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def stop(self, kill=False):
        self.process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        self.process.wait()


class Subscriber:
    """A client with a lasting session, so that a restart of the broker loses none of its messages."""

    def __init__(self, port):
        self.lock = threading.Lock()
        self.messages = []
        self.retained = {}
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="subscriber", clean_session=False)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
        self.client.on_message = self.received
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def received(self, _client, _data, message):
        with self.lock:
            self.messages.append((message.topic, message.payload))
            self.retained[message.topic] = message.payload

    def topics(self, prefix):
        with self.lock:
            return {topic for topic, _ in self.messages if topic.startswith(prefix)}

    def readings(self):
        with self.lock:
            found = [payload for topic, payload in self.messages if topic.startswith(f"home/{NAME}/BTtoMQTT/")]
        return [json.loads(payload) for payload in found]

    def last(self, topic):
        with self.lock:
            return self.retained.get(topic)

    def clear(self):
        with self.lock:
            self.messages = []


def write_configuration(folder, port, metrics, keys):
    devices = "".join(
        f'  - address: "{address}"\n    key: {key}\n' for address, key in (line.split("=") for line in keys.split())
    )
    path = folder / "gateway.yaml"
    path.write_text(
        f"name: {NAME}\nbroker: {{ host: 127.0.0.1, port: {port}, maximum-delay: 2 s }}\n"
        f"store: {{ path: store.sqlite }}\nmetrics: {{ port: {metrics} }}\ndevices:\n{devices}"
    )
    path.chmod(0o600)
    return path


def get(port, request):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer.decode()


def run(folder, ble_cli, ble_gateway):
    hang_up(ble_gateway, is_ignored=True)
    hang_up(ble_gateway, is_ignored=False)
    close_terminal(ble_gateway)
    broker = Broker(folder)
    broker.start()
    wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", broker.port)) == 0, "mosquitto runs")
    metrics = free_port()
    keys_file = folder / "keys"
    subprocess.run(
        [ble_cli, "simulate", "showroom", "--write-keys", keys_file, "--", "true"], check=True, stderr=subprocess.DEVNULL
    )
    configuration = write_configuration(folder, broker.port, metrics, keys_file.read_text())
    subprocess.run([ble_gateway, "--check", configuration], check=True, stdout=subprocess.DEVNULL)
    check(True, "the configuration has no mistakes")
    subscriber = Subscriber(broker.port)
    log = open(folder / "log", "wb")
    gateway = subprocess.Popen(
        [ble_cli, "simulate", "showroom", "--", ble_gateway, configuration], stderr=log, stdout=subprocess.DEVNULL
    )
    try:
        steps(broker, subscriber, gateway, metrics, lambda: reload(folder, broker, subscriber, gateway, configuration, ble_gateway))
    finally:
        end(gateway)
        log.close()
        broker.stop(kill=True)


def end(gateway):
    """Ends `ble-cli simulate` and the gateway that it has started, which SIGKILL would leave behind."""
    gateway.terminate()
    try:
        gateway.wait(60)
    except subprocess.TimeoutExpired:
        gateway.kill()
        gateway.wait()


def steps(broker, subscriber, gateway, metrics, reload):
    prefix = f"home/{NAME}/BTtoMQTT/"
    wait_until(lambda: len(subscriber.topics(prefix)) >= SENSORS, f"all {SENSORS} sensors of the showroom are published")
    check(len(subscriber.topics(prefix)) == SENSORS, "phones and trackers are not published")
    readings = subscriber.readings()
    check(all(reading["mid"] and reading["time"] and reading["id"] for reading in readings), "each has id and time")
    check(any(reading["format"] == "victron" for reading in readings), "encrypted sensors are decoded")
    wait_until(lambda: subscriber.last(f"home/{NAME}/LWT") == b"online", "the gateway is online")
    wait_until(
        lambda: len(subscriber.topics("homeassistant/device/")) >= 25, "Home Assistant's discovery is retained for the sensors"
    )
    listed = subprocess.run(
        ["mosquitto_sub", "-p", str(broker.port), "-t", "homeassistant/#", "-t", "home/+/LWT", "-W", "10", "-F", "%t %r"],
        capture_output=True, text=True, check=False,
    ).stdout.split("\n")
    check(sum(line.endswith(" 1") for line in listed) > 25, "mosquitto_sub receives the retained messages")
    answer = get(metrics, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
    check(answer.startswith("HTTP/1.0 200 ") and "ble_gateway_broker_connected 1\n" in answer, "the metrics are served")
    check(get(metrics, b"\x16\x03\x01\n\n").startswith("HTTP/1.0 400 "), "a request that is not HTTP is refused")

    subscriber.client.publish("homeassistant/status", "online", qos=1)
    subscriber.clear()
    wait_until(lambda: len(subscriber.topics("homeassistant/device/")) >= 25, "discovery is repeated when Home Assistant starts")

    reload()
    before = {reading["mid"] for reading in subscriber.readings()}
    broker.stop(kill=True)
    time.sleep(10)
    broker.start()
    wait_until(lambda: len({reading["mid"] for reading in subscriber.readings()} - before) > 100, "readings arrive after an outage")
    newest = max(numbers(subscriber))
    wait_until(
        lambda: newest in without_gap(subscriber),
        f"none of {newest - min(numbers(subscriber))} messages of before, meanwhile or after is missing")

    gateway.send_signal(signal.SIGTERM)
    check(gateway.wait(60) == 0, "SIGTERM ends the gateway with exit code 0")
    wait_until(lambda: subscriber.last(f"home/{NAME}/LWT") == b"offline", "the gateway is offline")


def hang_up(ble_gateway, is_ignored):
    """Sends SIGHUP to a gateway without a terminal. nohup starts a program that ignores it."""
    action = signal.SIG_IGN if is_ignored else signal.SIG_DFL
    gateway = subprocess.Popen(
        [ble_gateway, "--simulate", "--dry-run"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGHUP, action),
    )
    try:
        while b"started" not in gateway.stderr.readline():
            check(gateway.poll() is None, "a gateway starts")
        gateway.send_signal(signal.SIGHUP)
        time.sleep(2)
        check(gateway.poll() is None, f"SIGHUP does not end a gateway {'of nohup' if is_ignored else 'without a terminal'}")
        gateway.send_signal(signal.SIGTERM)
        check(gateway.wait(60) == 0, "SIGTERM ends a gateway with exit code 0")
    finally:
        gateway.kill()
        gateway.wait()


def close_terminal(ble_gateway):
    """Closes the terminal of a gateway that has one."""
    process, terminal = pty.fork()
    if process == 0:
        os.execv(ble_gateway, [ble_gateway, "--simulate", "--dry-run"])
    output = b""
    while b"started" not in output:
        output = output[-200:] + os.read(terminal, 65536)
    os.kill(process, signal.SIGHUP)
    output = b""
    while b"there is no configuration file to read again" not in output:
        output = output[-200:] + os.read(terminal, 65536)
    check(True, "SIGHUP does not end a gateway whose terminal is open")
    os.close(terminal)
    check(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0, "a closed terminal ends a gateway with exit code 0")


def parent(path):
    """The parent of the process with a folder of /proc; None if it has ended."""
    try:
        return int((path / "stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


def reload(folder, broker, subscriber, gateway, configuration, ble_gateway):
    """Changes the configuration while the gateway runs."""
    # A busy machine needs longer.
    for seconds in ("5", "20", "80"):
        dry_run = subprocess.run(
            ["timeout", "--preserve-status", seconds, ble_gateway, "--simulate", "--dry-run", configuration],
            capture_output=True, text=True, check=False)
        if is_done := dry_run.returncode == 0 and f"home/{NAME}/" in dry_run.stdout:
            break
    check(is_done, "a dry run works beside the gateway")
    # ble-cli runs the gateway as its child, beside the message bus.
    children = [int(path.name) for path in pathlib.Path("/proc").iterdir() if path.name.isdigit() and parent(path) == gateway.pid]
    child = next(pid for pid in children if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "ble-gateway")
    text = configuration.read_text()
    configuration.write_text(text + "nonsense: 1\n")
    os.kill(child, signal.SIGHUP)
    wait_until(lambda: b"the configuration stays as it was" in (folder / "log").read_bytes(), "an invalid file changes nothing")
    configuration.write_text(text + "topics: { reading: 'new/BTtoMQTT/{mac}' }\n")
    os.kill(child, signal.SIGHUP)
    wait_until(lambda: len(subscriber.topics("new/BTtoMQTT/")) >= SENSORS, "readings go to the topic of the new file")
    wait_until(lambda: b"the configuration was read again" in (folder / "log").read_bytes(), "the log says so")
    configuration.write_text(text)
    os.kill(child, signal.SIGHUP)
    subscriber.clear()
    wait_until(lambda: len(subscriber.topics(f"home/{NAME}/BTtoMQTT/")) >= SENSORS, "and back to that of the old one")


def numbers(subscriber):
    """The numbers of the messages that the store has held."""
    with subscriber.lock:
        messages = [json.loads(payload) for _, payload in subscriber.messages if payload.startswith(b'{"mid"')]
    return {int(message["mid"].rsplit("-", 1)[1]) for message in messages}


def without_gap(subscriber):
    """The numbers of the received messages, up to the first that is missing."""
    received = numbers(subscriber)
    end = min(received)
    while end in received:
        end += 1
    return range(min(received), end)


def main(words, usage, count, run):
    """Calls run with a temporary folder and the words, and returns the exit status of the script."""
    # Below nohup, the gateways would ignore it, too.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if len(words) != count:
        print(usage, file=sys.stderr)
        return 64
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            run(folder, *words)
        except Failure as failure:
            print(f"FAILED: {failure}\nthe log of the gateway:\n{(folder / 'log').read_text()}", file=sys.stderr)
            return 1
    print("all checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], __doc__, 2, run))
