"""Runs ble-gateway as its unit does: under the system-call filter, with a state folder behind a link, and with a notify socket.

as_service.py BLE_CLI BLE_GATEWAY   prints a line for each check, and exits 1 if one fails. It prints one line and exits 0 if
this machine cannot apply a filter.
"""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys

from end_to_end import Broker, Subscriber, check, end, free_port, get, main, wait_until
from under_filter import is_available

NAME = "as-service"
FOLDER = pathlib.Path(__file__).resolve().parent
UNIT = FOLDER.parent.parent / "Deployment/ble-gateway.service"


def write_configuration(folder, port, metrics):
    path = folder / "gateway.yaml"
    path.write_text(
        f"name: {NAME}\nbroker: {{ host: 127.0.0.1, port: {port} }}\n"
        f"store: {{ path: store.sqlite }}\nmetrics: {{ port: {metrics} }}\n"
    )
    path.chmod(0o600)
    return path


def run(folder, ble_cli, ble_gateway):
    # DynamicUser=yes makes the folder of StateDirectory= a link to one in a folder "private".
    (folder / "private/state").mkdir(parents=True, mode=0o700)
    (folder / "state").symlink_to("private/state")
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notify.bind(str(folder / "notify"))
    notify.settimeout(120)
    broker = Broker(folder)
    broker.start()
    wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", broker.port)) == 0, "mosquitto runs")
    subscriber = Subscriber(broker.port)
    metrics = free_port()
    configuration = write_configuration(folder, broker.port, metrics)
    filtered = [sys.executable, FOLDER / "under_filter.py", UNIT, ble_gateway, configuration]
    environment = dict(
        os.environ, NOTIFY_SOCKET=str(folder / "notify"), WATCHDOG_USEC="60000000", STATE_DIRECTORY=str(folder / "state")
    )
    with open(folder / "log", "wb") as log:
        gateway = subprocess.Popen(
            [ble_cli, "simulate", "showroom", "--", *filtered], env=environment, stdout=log, stderr=log
        )
        try:
            steps(folder, subscriber, gateway, metrics, notify)
        finally:
            end(gateway)
            broker.stop(kill=True)


def steps(folder, subscriber, gateway, metrics, notify):
    wait_until(
        lambda: gateway.poll() is not None or len(subscriber.topics(f"home/{NAME}/BTtoMQTT/")) >= 20,
        "the gateway publishes readings, or has ended",
    )
    # 159: killed by SIGSYS
    status = gateway.poll()
    check(status is None, "it runs under the system-call filter" + ("" if status is None else f"; it exited with {status}"))
    shown = notify.recv(4096)
    check(b"READY=1" in shown, "it reports to systemd that it has started")
    # The first numbers follow within 3 s; the socket has a time limit.
    while not re.search(rb"[1-9]\d* devices, ", shown):
        shown = notify.recv(4096)
    check(shown.startswith(b"STATUS="), "it shows the number of devices in its status")
    wait_until(lambda: subscriber.last(f"home/{NAME}/LWT") == b"online", "it is online")
    check((folder / "state/store.sqlite").exists(), "its store is in the folder behind the link")
    answer = get(metrics, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
    check(answer.startswith("HTTP/1.0 200 "), "the metrics are served")
    gateway.send_signal(signal.SIGTERM)
    check(gateway.wait(60) == 0, "SIGTERM ends it with exit code 0")


if __name__ == "__main__":
    if not is_available():
        print("not run under the system-call filter of the unit, which needs systemd-analyze and libseccomp")
        sys.exit(0)
    sys.exit(main(sys.argv[1:], __doc__, 2, run))
