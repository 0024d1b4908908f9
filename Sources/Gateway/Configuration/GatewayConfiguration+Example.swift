extension GatewayConfiguration {
    /// A configuration file with comments for each key and its default.
    ///
    /// A line with `#` directly before a key is an example that is switched off.
    public static let example = """
        # Settings of a Bluetooth gateway to MQTT. All keys are optional; the values here are the defaults, except for
        # lines with # directly before a key, which are examples. Times are written 250 ms, 5 s, 10 min, 2 h or 1 d.
        # Files are relative to the folder of this file. Other users must not be able to access files with passwords
        # and keys: run chmod 600 on them. Their group may read them, as systemd's credentials need it.

        # The name of the gateway in topics. Gateways on one broker need different names. Default: the host name.
        # At most 64 bytes without / + # { } and control characters, and not the word not_home.
        #name: kitchen

        broker:
          # A name or address without mqtt://.
          host: localhost
          # Default: 1883, or 8883 with TLS.
          #port: 1883
          # The version of MQTT: 5 or 3.1.1.
          version: 5
          # TLS: true trusts the authorities of the system; a file names other ones. The certificate and the key identify
          # the gateway to brokers that demand it.
          #tls:
          #  authorities: ca.pem
          #  certificate: gateway.pem
          #  key: gateway.key
          # The user, or a file with its name. Passwords are only read from files.
          #user: gateway
          #user-file: user.txt
          #password-file: password.txt
          # Default: made of the name of the gateway.
          #client-identifier: gateway-kitchen
          # How long the broker keeps subscriptions and messages for a gateway that is not connected.
          session-expiry: 1 d
          # A connection without any message for 1.5 times this time has failed.
          keep-alive: 15 s
          # How many messages are sent before the first of them is confirmed.
          messages-in-flight: 20
          # The first and the longest pause between two attempts to connect.
          initial-delay: 1 s
          maximum-delay: 1 min

        # Names or addresses of the adapters. Default: all.
        adapters: []
        #adapters: [hci0, "00:1A:7D:DA:71:13"]

        filter:
          # Addresses, or their first bytes, of the devices to publish; empty for all. A device that both lists match is
          # not published. The same entry in both lists is an error.
          allow: []
          #allow: ["A4:C1:38"]
          deny: []
          #deny: ["C0:FF:EE:00:00:66"]
          # The weakest signal in dBm. Default: all.
          #minimum-rssi: -90
          # Whether devices without a known format are also published.
          unknown: false

        # Devices with names, keys of encrypted advertisements, or values that are read over a connection.
        devices: []
        #devices:
        #  - address: "A4:C1:38:00:00:01"
        #    name: Living room
        #    # 32 hexadecimal digits, or 24 for a legacy key of MiBeacon. If keys are in this file, run chmod 600 on it.
        #    key: 00112233445566778899aabbccddeeff
        #  - address: "C0:FF:EE:00:00:03"
        #    name: Phone
        #    # The identity resolving key of a device with changing private addresses. Its identity is the address above.
        #    # The device is published under its identity. For a file with the key: identity-key-file: phone.key
        #    identity-key: ec0234a357c8ad05341010a60a397d9b
        #  - address: "A4:C1:38:00:00:02"
        #    # A file with the key.
        #    key-file: bedroom.key
        #    jobs:
        #      # A UUID or an assigned name. Each read and each notification is published.
        #      - read: Battery Level
        #        every: 10 min
        #      - notify: "2A37"
        #        service: "180D"
        #        name: pulse

        # All other devices. Anyone can send with any number of addresses, so these devices have limits, and those of the list
        # devices have priority. Write other-devices: false to publish only the devices of the list.
        other-devices:
          # The largest number that is published at once. Further ones are ignored until some have left.
          maximum: 1000
          # The most messages in a minute on average, of all of them together.
          messages-per-minute: 6000

        topics:
          # {gateway} is the name of the gateway. Topics of devices contain {mac} (without colons), {address} or {name}.
          # Topics that are not named here begin with the base.
          base: "home/{gateway}"
          reading: "home/{gateway}/BTtoMQTT/{mac}"
          presence: "home/{gateway}/presence/{mac}"
          connection: "home/{gateway}/connection/{mac}"
          command: "home/{gateway}/commands/{mac}"
          result: "home/{gateway}/results/{mac}"
          availability: "home/{gateway}/LWT"
          status: "home/{gateway}/status"

        publishing:
          # The shortest time between two messages of a device with the same quantities. Events are not delayed.
          minimum-interval: 1 s
          # Longer times for quantities. A change of such a quantity alone waits, and a message contains all values.
          minimum-intervals: {}
          #minimum-intervals: { battery-level: 5 min, voltage: 1 min }
          # A reading that did not change is published again after this time.
          maximum-interval: 5 min
          # The smallest changes that count, by quantity. Any change of other quantities counts.
          changes: {}
          #changes: { temperature: 0.1, humidity: 0.5, battery-level: 1 }
          # The smallest change of the smoothed signal strength, in dB.
          rssi-change: 5
          # A device that was not heard for this time is lost.
          presence-timeout: 1 min
          # The most readings, and the most values of links, in a minute on average, of each device of the list devices. Above
          # it, only the newest ones are published, so that a sender with the address of a device does not fill the store.
          # 20,000 values of a link at once do not exceed it, because they may be stored records.
          messages-per-minute: 1200

        # Home Assistant's device discovery. Write home-assistant: false to switch it off.
        home-assistant:
          prefix: homeassistant
          # The topic on which Home Assistant publishes its start. Default: the prefix and /status.
          status-topic: homeassistant/status
          # A measured value without a new message for this time is unavailable.
          expire-after: 1 h
          # Which devices are discovered: configured are those of the list devices, known-formats also others with values of a
          # known format. With none, only the gateway itself is discovered.
          discovery: known-formats
          # The largest number of discovered devices that are not in the list, and the time after which one that was not heard
          # is removed from Home Assistant.
          discovery-limit: 100
          discovery-expiry: 1 d

        # Messages that wait for the broker. When the store is full, the oldest are removed and counted.
        store:
          # Default: memory only, so that a restart loses the messages. For the service of systemd, a relative path is in
          # /var/lib/ble-gateway, its state folder.
          #path: store.sqlite
          maximum-size: 100 MiB
          # Readings are collected for this time, and stored together.
          batch-interval: 250 ms

        # An adapter without advertisements for longer than normal is restarted in several steps.
        recovery:
          # The shortest and the longest silence that starts recovery. The normal rate is learned in between.
          minimum-silence: 10 s
          maximum-silence: 1 min
          # Whether an adapter may be switched off and on.
          power-cycle: true
          # Whether an adapter that is not in the list adapters may take over.
          other-adapter: false

        # The links of each adapter to devices with jobs or commands.
        connections:
          # The largest number. If the adapter has fewer, the gateway learns it.
          maximum: 32
          # How long a device keeps its link while others wait.
          minimum-stay: 30 s
          # A device that was not heard for this time is not connected.
          heard-timeout: 1 min

        # Commands to the devices of the list.
        commands:
          # A command that was sent longer ago is not executed, for example because the gateway was away.
          maximum-age: 30 s

        # Several gateways on one broker divide the devices with jobs. Write sharing: false to switch it off.
        sharing:
          # The first part of the topics on which gateways report which devices they hear.
          topic: home/ble-gateways
          # How much better another gateway must hear a device before it takes it over, in dB.
          hysteresis: 8

        # Metrics for Prometheus on the loopback interface. Default: off.
        metrics: false
        #metrics: { port: 9465 }

        """
}
