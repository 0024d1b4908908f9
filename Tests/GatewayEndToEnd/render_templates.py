"""Renders the templates of Home Assistant's discovery on recorded messages, as Home Assistant does.

render_templates.py FILE   FILE has one JSON object a line, with the topic and the payload of a message. It prints the last value
of each entity, and exits 1 if an entity has no value, or takes one from a message of another device.

It needs python3-jinja2.
"""

import json
import sys

import jinja2

ENVIRONMENT = jinja2.Environment(undefined=jinja2.Undefined)


class Ignored(Exception):
    """Home Assistant ignores a message without the value."""


def is_defined(value):
    if isinstance(value, jinja2.Undefined):
        raise Ignored
    return value


ENVIRONMENT.filters |= {"is_defined": is_defined, "to_json": json.dumps}


def matches(topic_filter, topic):
    filters, levels = topic_filter.split("/"), topic.split("/")
    return len(filters) == len(levels) and all(one in ("+", other) for one, other in zip(filters, levels))


def render(template, payload):
    """The value that a message gives an entity; None if it changes nothing."""
    variables = {"value": payload}
    try:
        variables["value_json"] = json.loads(payload)
    except ValueError:
        pass
    try:
        return ENVIRONMENT.from_string(template).render(variables) or None
    except Ignored:
        return None


def entities(messages):
    """The entities of the last discovery message of each device: its identifier, address, topic and template."""
    devices = {topic: json.loads(payload) for topic, payload in messages if topic.endswith("/config") and payload}
    for topic, device in devices.items():
        address = next((text for kind, text in device["device"].get("connections", []) if kind == "bluetooth"), None)
        for component in device["components"].values():
            state = component.get("state_topic", device.get("state_topic"))
            yield component["unique_id"], address, state, component["value_template"]


def owner(payload):
    """The device that a message names; None if it names none."""
    try:
        message = json.loads(payload)
    except ValueError:
        return None
    return message.get("id") if isinstance(message, dict) else None


def main(path):
    with open(path, encoding="utf-8") as file:
        messages = [(message["topic"], message["payload"]) for message in map(json.loads, file)]
    problems = []
    for identifier, address, topic_filter, template in entities(messages):
        value = None
        for topic, payload in messages:
            if not matches(topic_filter, topic) or (rendered := render(template, payload)) is None:
                continue
            if address and owner(payload) not in (None, address):
                problems.append(f"{identifier} takes a value from a message of {owner(payload)}")
            value = rendered
        print(f"{identifier} {value}")
        if value is None:
            problems.append(f"{identifier} has no value")
    print("\n".join(dict.fromkeys(problems)), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
