"""Checks ble-gateway's discovery with the schemas and entities of Home Assistant, and after a restart of the broker.

home_assistant.py BLE_CLI BLE_GATEWAY   prints a line for each check, and exits 1 if one fails.

Home Assistant 2024.3.3 is the newest version for Python 3.11. Device discovery is newer (2024.11), so this script makes
the configuration of each entity from the message of its device, as newer versions do. The schemas, entities and
templates are those of Home Assistant.
"""

import asyncio
import contextlib
import json
import logging
import math
import os
import re
import signal
import socket
import subprocess
import sys
import time
from unittest import mock

import paho.mqtt.client as mqtt
from homeassistant.components.mqtt import binary_sensor, event, sensor
from homeassistant.components.mqtt.mixins import MQTT_ENTITY_DEVICE_INFO_SCHEMA, MQTT_ORIGIN_INFO_SCHEMA
from homeassistant.components.mqtt.models import ReceiveMessage
from homeassistant.components.sensor.const import DEVICE_CLASS_STATE_CLASSES
from homeassistant.core import HomeAssistant

from end_to_end import NAME, SENSORS, Broker, Failure, Subscriber, check, free_port, main, wait_until, write_configuration

PLATFORMS = {
    "sensor": (sensor, sensor.MqttSensor), "event": (event, event.MqttEvent),
    "binary_sensor": (binary_sensor, binary_sensor.MqttBinarySensor),
}
# What a component gets from the message of its device.
SHARED = ["availability", "availability_mode", "state_topic"]
TOPIC = re.compile(r"homeassistant/device/[a-zA-Z0-9_-]+/config")
# Topics that devices with the same name share, so that the templates select the messages of their device.
SHARED_TOPICS = """topics:
  reading: home/{gateway}/BTtoMQTT/{name}
  presence: home/{gateway}/presence/{name}
"""
# A remote control with BTHome v2: a packet number, a long press, and a dimmer that was turned to the right.
REMOTE = """peripherals:
  - name: Remote
    address: C0:5E:0A:00:00:01
    advertisement: { interval: 500 ms, rssi: -60, name: Remote, service-data: { fcd2: 44 00 01 3A 04 3C 02 03 } }
"""


class Entity:
    """An entity of Home Assistant, made from a component of a discovery message."""

    state = property(lambda self: self.object.state)

    def __init__(self, hass, topic, key, component, device):
        self.name = f"{device['device']['name']} {key}"
        config = {key: device[key] for key in SHARED if key in device} | component
        config |= {"device": device["device"], "origin": device["origin"]}
        self.platform = config.pop("platform")
        module, kind = PLATFORMS[self.platform]
        self.config = module.DISCOVERY_SCHEMA(dict(config))
        # The schemas drop members that they do not know.
        if unknown := set(config) - set(self.config):
            raise Failure(f"Home Assistant does not know {unknown} of {self.name}")
        self.object = kind(hass, self.config, mock.MagicMock(), None)
        self.object.platform, self.object.entity_id = mock.MagicMock(), f"{self.platform}.{topic}_{key}"
        self.object.async_write_ha_state = lambda: None
        self.object._prepare_subscribe_topics()
        self.subscription = self.object._sub_state["state_topic"]
        self.subscription.subscribe_task.close()

    def receive(self, topic, payload):
        if not mqtt.topic_matches_sub(self.config["state_topic"], topic):
            return
        message = ReceiveMessage(topic, payload.decode(), 1, False, self.config["state_topic"], time.time())
        self.subscription.message_callback(message)
        _ = self.state  # raises an error if the value does not suit the unit and the classes

    def problem(self):
        """What is wrong with the state; None if nothing is."""
        state, device_class = self.state, self.config.get("device_class")
        if self.platform == "binary_sensor":
            return None if state in ("on", "off") else f"is {state}"
        state_class = self.config.get("state_class")
        if self.platform == "sensor" and device_class and state_class not in DEVICE_CLASS_STATE_CLASSES[device_class]:
            return f"has the state class {state_class}"
        is_number = state_class or self.config.get("unit_of_measurement")
        return "is not a number" if is_number and not math.isfinite(float(state)) else None


def discoveries(subscriber):
    """The discovery messages that are retained, by their topics."""
    with subscriber.lock:
        return {topic: payload for topic, payload in subscriber.retained.items() if TOPIC.fullmatch(topic)}


def settled(subscriber, seconds=12):
    """Waits until no discovery message has changed for longer than a gateway collects changes, and returns them."""
    messages, since = {}, time.monotonic()
    while time.monotonic() < since + seconds:
        time.sleep(0.1)
        if (now := discoveries(subscriber)) != messages:
            messages, since = now, time.monotonic()
    return messages


def entities(hass, messages):
    """The entities of all messages. Raises an error if one of them does not have Home Assistant's schema."""
    made = []
    for topic, device in ((topic, json.loads(payload)) for topic, payload in messages.items()):
        MQTT_ENTITY_DEVICE_INFO_SCHEMA(device["device"])
        MQTT_ORIGIN_INFO_SCHEMA(device["origin"])
        made += [Entity(hass, topic, key, component, device) for key, component in device["components"].items()]
    identifiers = {(entity.platform, entity.object.unique_id) for entity in made}
    check(len(identifiers) == len(made), f"{len(made)} entities of {len(messages)} devices have Home Assistant's schema")
    return made


def start(folder, ble_cli, ble_gateway, name, scenario, port, keys, log, topics=""):
    """Starts a gateway on the devices of a scenario, in a process group of its own."""
    folder.mkdir()
    path = write_configuration(folder, port, free_port(), keys)
    path.write_text(path.read_text().replace(f"name: {NAME}", f"name: {name}") + topics)
    command = [ble_cli, "simulate", scenario, "--", ble_gateway, path]
    return subprocess.Popen(command, stderr=log, stdout=subprocess.DEVNULL, start_new_session=True)


def run(folder, ble_cli, ble_gateway):
    broker = Broker(folder)
    broker.start()
    wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", broker.port)) == 0, "mosquitto runs")
    keys, remote = folder / "keys", folder / "remote.yaml"
    writing = [ble_cli, "simulate", "showroom", "--write-keys", keys, "--", "true"]
    subprocess.run(writing, check=True, stderr=subprocess.DEVNULL)
    remote.write_text(REMOTE)
    subscriber = Subscriber(broker.port)
    log = open(folder / "log", "wb")
    gateways = [
        start(folder / "1", ble_cli, ble_gateway, NAME, "showroom", broker.port, keys.read_text(), log),
        start(folder / "2", ble_cli, ble_gateway, "Süd 2", remote, broker.port, "", log, SHARED_TOPICS),
    ]
    try:
        steps(broker, subscriber, gateways)
    finally:
        for gateway in gateways:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(gateway.pid, signal.SIGKILL)
            gateway.wait()
        log.close()
        broker.stop(kill=True)


async def without_integrations():
    """A Home Assistant without integrations. Only this needs a running loop."""
    return HomeAssistant("")


def steps(broker, subscriber, gateways):
    warnings = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: warnings.append(record.getMessage())
    logging.getLogger("homeassistant").addHandler(handler)
    hass = asyncio.new_event_loop().run_until_complete(without_integrations())
    hass.data |= {"mqtt": mock.MagicMock(), "integrations": {}}
    own = [f"homeassistant/device/ble-gateway-{name}/config" for name in (NAME, "S_c3_bcd_202")]
    wait_until(lambda: all(b"hci0 state" in (subscriber.last(topic) or b"") for topic in own), "two gateways are discovered")
    wait_until(lambda: len(discoveries(subscriber)) >= SENSORS + 3, "all sensors and a remote control are discovered")
    messages, received = settled(subscriber), 0
    made = entities(hass, messages)

    def without_state():
        nonlocal received
        with subscriber.lock:
            new, received = subscriber.messages[received:], len(subscriber.messages)
        for topic, payload in new:
            for entity in made:
                entity.receive(topic, payload)
        return [entity.name for entity in made if entity.state is None]

    wait_until(lambda: not without_state(), "each entity gets a state from the messages")
    problems = {entity.name: entity.problem() for entity in made if entity.problem()}
    check(not problems, f"the states suit the classes and units {problems or ''}")
    events = {entity.object.state_attributes["event_type"] for entity in made if entity.platform == "event"}
    check(events == {"long_press", "rotate_right"}, "the events of the remote control arrive")
    check(not warnings, f"Home Assistant logs no warning {warnings or ''}")

    broker.stop(kill=True)
    (broker.configuration.parent / "mosquitto.db").unlink(missing_ok=True)
    with subscriber.lock:
        subscriber.retained = {}
    broker.start()
    wait_until(lambda: messages.keys() <= discoveries(subscriber).keys(), "a broker without memory gets all discovery again")
    check(all(discoveries(subscriber)[topic] == messages[topic] for topic in messages), "the messages are the same")

    os.killpg(gateways[0].pid, signal.SIGTERM)
    online = next(entity for entity in made if entity.name == f"BLE gateway {NAME} online")
    check(online.state == "on", "a gateway is shown as online")
    wait_until(lambda: not without_state() and online.state == "off", "a stopped gateway is shown as offline")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], __doc__, 2, run))
