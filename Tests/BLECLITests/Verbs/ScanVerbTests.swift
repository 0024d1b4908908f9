import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

struct ScanVerbTests {
    private static let keys: Set<String> = [
        "time", "address", "addressType", "name", "rssi", "txPower", "manufacturerData", "company", "serviceData",
        "services", "connectable", "cached",
    ]

    @Test func `prints one JSON object for each device, with all keys, and stops the scan at its time limit`() throws {
        let bench = Bench()
        let outcome = bench.run(ScanVerb(), .limited(.seconds(2), json: true))
        #expect(outcome.code == .done)
        #expect((2...2.1).contains(outcome.time ?? 0))
        #expect(outcome.errors.isEmpty)
        let objects = try outcome.lines.map { try #require(ParsedJSON($0)) }
        #expect(Set(objects.compactMap { $0["address"]?.string }).count == 5)
        for object in objects { #expect(object.keys == Self.keys) }
        #expect(bench.calls("StartDiscovery") == 1)
        #expect(bench.calls("StopDiscovery") == 1)

        let beacon = try #require(objects.first { $0["name"]?.string == "Door beacon" })
        #expect(beacon["manufacturerData"]?["004c"]?.string?.hasPrefix("0215") == true)
        #expect(beacon["company"]?.string == "Apple, Inc.")
        #expect(beacon["txPower"]?.isNull == true)
        #expect(beacon["connectable"]?.isNull == true)
        #expect(beacon["cached"]?.bool == false)
        #expect((-69 ... -59).contains(try #require(beacon["rssi"]?.number)))
        let thermometer = try #require(objects.first { $0["name"]?.string == "Thermometer" })
        #expect(thermometer["serviceData"]?["181A"]?.string == "2e09")
        #expect(thermometer["services"]?.items.map(\.string) == ["181A"])
        #expect(thermometer["addressType"]?.string == "random")
        #expect(thermometer["txPower"]?.number == 4)
    }

    @Test func `prints the first device within three tenths of a second`() {
        let bench = Bench()
        bench.run(ScanVerb(), .asJSON, for: 0)
        bench.advance(290)
        #expect(!bench.output.takeLines().isEmpty)
    }

    @Test func `prints every advertisement where all are asked for`() {
        let few = Bench().run(ScanVerb(), .limited(.seconds(5), json: true))
        let all = Bench().run(ScanVerb(showsAll: true), .limited(.seconds(5), json: true))
        #expect(few.lines.count == 5)
        #expect(all.lines.count > 50)
    }

    @Test func `shows only devices with one of the services`() throws {
        let outcome = Bench().run(ScanVerb(services: [0x180D, 0xFFD0]), .limited(.seconds(2)))
        #expect(outcome.lines.count == 2)
        #expect(outcome.lines.contains { $0.contains("Heart rate strap") })
        #expect(outcome.lines.contains { $0.contains("Twin sensor") })
    }

    @Test func `in a pipe, prints a line for a new device and for a new name only`() {
        let bench = Bench(
            around: SimulatedPeripheral("Lamp", address: "C0:FF:EE:00:00:09") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lamp")
            })
        let simulation = bench.simulation
        let outcome = bench.run(
            ScanVerb(), .limited(.seconds(3)),
            meanwhile: [
                (
                    1000,
                    { _ in
                        let renamed = SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, name: "Lamp 2")
                        simulation.bluez.advertise(renamed, from: "C0:FF:EE:00:00:09")
                    }
                )
            ])
        #expect(outcome.lines == ["C0:FF:EE:00:00:09   -50 dBm  Lamp", "C0:FF:EE:00:00:09   -60 dBm  Lamp 2"])
    }

    @Test(arguments: [false, true])
    func `a signal ends it, and the scan is stopped before it is over`(isJSON: Bool) {
        let bench = Bench()
        let outcome = bench.run(ScanVerb(), isJSON ? .asJSON : .init(), meanwhile: [(700, { $0.stop(.interrupted) })])
        #expect(outcome.code == .interrupted)
        #expect(outcome.errors.isEmpty)
        #expect(bench.calls("StopDiscovery") == 1)
    }

    @Test func `a reader that goes away ends it quietly, and the scan is stopped`() {
        let bench = Bench()
        bench.output.close(after: 1)
        let outcome = bench.run(ScanVerb(), .asJSON)
        #expect(outcome.code == .done)
        #expect(outcome.lines.count == 1)
        #expect(outcome.errors.isEmpty)
        #expect(bench.calls("StopDiscovery") == 1)
    }

    @Test func `says that bluetoothd does not run, at once`() {
        let outcome = Bench(starting: false).run(ScanVerb())
        #expect(outcome.code == .unavailable)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("bluetoothd is not running. Start it:") == true)
        #expect(outcome.lines.isEmpty)
        #expect((outcome.time ?? 9) < 0.1)
    }

    @Test func `fails when bluetoothd ends during the scan`() {
        let bench = Bench()
        let simulation = bench.simulation
        let outcome = bench.run(ScanVerb(), meanwhile: [(1000, { _ in simulation.bluez.crash() })])
        #expect(outcome.code == .unavailable)
        #expect(outcome.errors.count == 1)
    }

    @Test func `goes on after bluetoothd was away where that is asked for, and says so`() {
        let bench = Bench()
        let simulation = bench.simulation
        let outcome = bench.run(
            ScanVerb(reconnects: true), .limited(.seconds(20), json: true),
            meanwhile: [
                (2000, { _ in simulation.bluez.crash() }), (10_000, { _ in simulation.bluez.start() }),
            ])
        #expect(outcome.code == .done)
        #expect(
            outcome.errors == [
                "ble-cli: Waiting: bluetoothd is not running.", "ble-cli: Bluetooth is back; going on.",
            ])
        // Every device is told of before and after.
        #expect(outcome.lines.filter { $0.contains("C0:FF:EE:00:00:01") }.count >= 2)
        #expect(bench.calls("StartDiscovery") == 2)
        #expect(bench.calls("StopDiscovery") == 1)
    }

    @Test func `begins with what bluetoothd remembers where that is asked for`() throws {
        let bench = Bench()
        bench.run(ScanVerb(), .limited(.seconds(1), json: true), for: 2)
        let outcome = bench.run(ScanVerb(includesKnown: true), .limited(.milliseconds(10), json: true))
        let objects = try outcome.lines.map { try #require(ParsedJSON($0)) }
        #expect(objects.contains { $0["cached"]?.bool == true })
    }
}
