import DBus
import Rx
import RxBluetoothMocks
import RxTest
import ScenarioFiles
import Testing

/// Tests of reading scenarios from files.
struct ScenarioFileTests {
    private static let text = """
        # A hall with a sensor that drops its link.
        seed: 7
        packet-loss: 5
        adapters:
          - { address: "00:1A:7D:DA:71:02", name: gateway }
          - { address: "00:1A:7D:DA:71:03", name: spare, powered: off }
        peripherals:
          - name: Hall sensor
            address: C0:FF:EE:00:00:01
            advertisement:
              interval: 100 ms
              rssi: -60
              jitter: 3
              name: Hall
              tx-power: 4
              services: [181a]
              manufacturer-data: { 0x004C: 02 15 }
              service-data: { 181a: 2e 09 }
              appearance: 0x0300
              flags: 0x06
              first-after: 5 ms
            connection: { delay: 200 ms, mtu: 100, drops-after: 1.5 min }
            channels: [{ psm: 0x80 }, { psm: 129, mtu: 64, delay: 20 ms, answer: nothing }, { psm: 130, answer: refusal }]
            services:
              - uuid: 181a
                characteristics:
                  - uuid: 2a6e
                    properties: [read, write, notify]
                    value: 2e 09
                    every: 1 s
                    values: [2e 09, 2f 09]
                    descriptors:
                      - { uuid: "2901", text: Living room }
          - name: Phone
            address: 4A:00:00:00:00:01
            address-type: random
        bluez: 5.87
        quirks: [Q94, q101]
        disabled-quirks: [Q127]
        features: [ignored-pattern]
        disabled-features: [handle]
        faults:
          - { method: Device1.Connect, calls: first 1, error: org.bluez.Error.Failed, text: le-connection-refused }
          - { method: StopDiscovery, late: 2 s }
          - { method: Properties.Set, property: Powered, meanwhile: { daemon: crash }, after: 10 ms }
        events:
          - { at: 10 s, drop-link: C0:FF:EE:00:00:01, reason: timeout }
          - { at: 11 s, strength: C0:FF:EE:00:00:01, rssi: -80 }
          - { at: 12 s, unplug: 1 }
        """

    @Test func `A file gives the same scenario as Swift`() throws {
        let scenario = try ScenarioFile.read(Self.text)
        #expect(scenario.seed == 7)
        #expect(scenario.packetLoss == 5)
        #expect(scenario.adapters.map(\.name) == ["gateway", "spare"])
        #expect(scenario.adapters.map(\.isPowered) == [true, false])
        #expect(scenario.bluez == .v5_87)
        #expect(scenario.quirks == [.Q94, .Q101] && scenario.disabledQuirks == [.Q127])
        #expect(scenario.features == [.ignoredPattern] && scenario.disabledFeatures == [.handle])
        #expect(
            scenario.faults.map(\.pattern) == [
                CallPattern("Device1.Connect"), CallPattern("StopDiscovery"),
                CallPattern("Properties.Set", property: "Powered"),
            ])
        #expect(scenario.faults.map(\.calls) == [.first(1), .all, .all])
        #expect(scenario.script.map(\.time) == [.seconds(10), .seconds(11), .seconds(12)])
        let sensor = try #require(scenario.peripherals.first)
        #expect(sensor.connection.mtu == 100)
        #expect(sensor.connection.delay == .milliseconds(200))
        #expect(sensor.connection.dropsAfter == .seconds(90))
        #expect(Set(sensor.channels.keys) == [128, 129, 130])
        #expect(sensor.channels[128]?.answer([1, 2]) == [[1, 2]])
        #expect(sensor.channels[128]?.mtu == 672)
        #expect(sensor.channels[129]?.answer([1]) == [])
        #expect(sensor.channels[129]?.mtu == 64)
        #expect(sensor.channels[129]?.delay == .milliseconds(20))
        #expect(sensor.channels[130]?.acceptance == .refuses)
        let advertisement = try #require(sensor.advertisement)
        #expect(advertisement.interval == .milliseconds(100))
        #expect(advertisement.manufacturerData == [0x004C: [0x02, 0x15]])
        #expect(advertisement.serviceData == ["181a": [0x2E, 0x09]])
        #expect(advertisement.name == Array("Hall".utf8))
        #expect(advertisement.firstAfter == .milliseconds(5))
        #expect(sensor.services.first?.characteristics.first?.descriptors.map(\.uuid) == ["2901"])
        #expect(scenario.peripherals.last?.advertisement == nil)
    }

    @Test(arguments: [
        ("all", Fault.Calls.all), ("3", .only(3)), ("first 3", .first(3)), ("from 3", .from(3)), ("from 1", .from(1)),
    ])
    func `The calls of a fault are those that the file names`(text: String, calls: Fault.Calls) throws {
        let scenario = try ScenarioFile.read("faults: [{ method: Device1.Connect, calls: \(text), lost: true }]")
        #expect(scenario.faults.map(\.calls) == [calls])
    }

    @Test(arguments: [
        ("lost: true, after: 1 s", "after"), ("error: org.bluez.Error.Failed, after: 1 s", "after"),
        ("late: 1 s, text: reason", "text"), ("meanwhile: { daemon: crash }, text: reason", "text"),
        ("lost: true, late: 1 s", "effects"), ("calls: from 0, lost: true", "from 3"),
    ])
    func `A key that does not fit the effect of a fault is an error`(keys: String, word: String) {
        do {
            _ = try ScenarioFile.read("faults: [{ method: Device1.Connect, \(keys) }]")
            Issue.record("The file was accepted.")
        } catch {
            #expect("\(error)".contains(word), "\(error)")
        }
    }

    @Test func `A scenario from a file runs with its faults and events`() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let simulation = Simulation(try ScenarioFile.read(Self.text), scheduler: scheduler)
        let client = simulation.bluez.competingClient()
        let bus = simulation.connect()
        client.startDiscovery()
        scheduler.advanceTo(1_000)
        let connect = try Message.call(
            to: "org.bluez", path: "/org/bluez/hci0/dev_C0_FF_EE_00_00_01", interface: "org.bluez.Device1",
            member: "Connect")
        _ = bus.call(connect, timeout: .seconds(9)) { _ in }
        scheduler.advanceTo(2_000)
        let refusal = DBusError(name: "org.bluez.Error.Failed", message: "le-connection-refused")
        #expect(simulation.recorder.calls("Connect").map(\.answer) == [.error(refusal)])
        let again = try Message.call(
            to: "org.bluez", path: "/org/bluez/hci0/dev_C0_FF_EE_00_00_01", interface: "org.bluez.Device1",
            member: "Connect")
        let reasons = scheduler.createObserver(String.self)
        _ = bus.subscribe(MatchRule(sender: "org.bluez", interface: "org.bluez.Device1", member: "Disconnected")) {
            let reason = try? $0.read { (body) throws(DBusError) in try body.string() }
            reasons.on(.next(reason ?? ""))
        }
        _ = bus.call(again, timeout: .seconds(9)) { _ in }
        scheduler.advanceTo(20_000)
        #expect(reasons.events.compactMap(\.value.element) == ["org.bluez.Reason.Timeout"])
        #expect(reasons.events.map { $0.time / 100 } == [100])
    }

    @Test func `An event opens a channel to the computer, which sends its value and then echoes`() throws {
        let text = Self.text.replacing(
            "at: 12 s, unplug: 1", with: "at: 12 s, open-channel: C0:FF:EE:00:00:01, psm: 200, value: 09 0a")
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let simulation = Simulation(try ScenarioFile.read(text), scheduler: scheduler)
        let number = try #require(try simulation.openListeningSocket(psm: 200)?.socket)
        let listener = SharedSocket(PacketSocket(adopting: OwnedDescriptor(adopting: number)))
        scheduler.advanceTo(11_000)
        #expect(simulation.acceptChannel(from: number)?.socket == nil)
        scheduler.advanceTo(13_000)
        let accepted = simulation.acceptChannel(from: number)
        #expect(accepted?.address == "C0:FF:EE:00:00:01" && accepted?.isRandom == true)
        let end = OwnedDescriptor(adopting: try #require(accepted?.socket))
        let channel = SharedSocket(PacketSocket(adopting: end))
        #expect(channel.socket.receive() == .packet([0x09, 0x0A]))
        channel.socket.send([1])
        scheduler.advanceTo(14_000)
        #expect(channel.socket.receive() == .packet([1]))
        withExtendedLifetime(listener) {}
    }

    @Test(arguments: [
        "out-of-range: X", "in-range: X", "strength: X, rssi: -70", "silence: X", "reset: X, silence-for: 2 s",
        "advertise: X, advertisement: { interval: 1 s, rssi: -50 }", "rotate-address: X",
        "rotate-address: X, to: 4A:00:00:00:00:09",
        "set-value: X, characteristic: 2a6e, value: 01", "notify: X, characteristic: 2a6e, value: 01",
        "change-services: X, services: [{ uuid: fff0 }], announced: false", "power: off, adapter: 0", "rfkill: on",
        "unplug: 0", "plug: 2", "daemon: crash", "daemon: stop", "lose-bus: true", "signal: wrong-type, about: X",
        "rival: scan, adapter: 0", "rival: power-off", "rival: power-on", "lose-bond: X", "replug: 0",
        "replug: 0, as: 0, after: 5 ms", "plug: 2, address: '00:00:00:00:00:09', name: spare",
        "notify: X, characteristic: 2a6e, value: 01, index: 3", "signal: gone-object, about: X, adapter: 1",
        "rival: scan", "rival: connect, with: X", "rival: disconnect, with: X", "rival: remove, with: X",
        "open-channel: X, psm: 128, value: 09",
    ])
    func `Every action of an event runs`(_ action: String) throws {
        let event = action.replacing("X", with: "C0:FF:EE:00:00:01")
        let text = Self.text.replacing("at: 12 s, unplug: 1", with: "at: 12 s, " + event)
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let simulation = Simulation(try ScenarioFile.read(text), scheduler: scheduler)
        simulation.bluez.competingClient().startDiscovery()
        scheduler.advanceTo(15_000)
        #expect(simulation.bluez.advertisementsSent > 100)
    }
}
