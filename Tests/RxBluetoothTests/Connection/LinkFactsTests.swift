import DBus
import RxBluetoothMocks
import TestTraits
import Testing

@testable import RxBluetooth

/// Facts about a live link, and requests for another timing.
struct LinkFactsTests {
    /// A controller that records requests, and waits until the test answers.
    final class Controller: HostController {
        private struct State {
            var requests: [String] = []
            var facts: [@Sendable (Result<LinkFacts, BluetoothError>) -> Void] = []
            var loads: [@Sendable (BluetoothError?) -> Void] = []
        }

        private let state = Guarded(State())
        var requests: [String] { state.withLock { $0.requests } }

        func readRSSI(
            of address: BluetoothAddress, on adapter: String, deadline: Duration,
            _ answer: @escaping @Sendable (Result<Int, BluetoothError>) -> Void
        ) { answer(.failure(BluetoothError(.unsupported))) }

        func readLink(
            to address: BluetoothAddress, on adapter: String, deadline: Duration,
            _ answer: @escaping @Sendable (Result<LinkFacts, BluetoothError>) -> Void
        ) {
            state.withLock {
                $0.requests.append("facts of \(address) on \(adapter) for \(deadline)")
                $0.facts.append(answer)
            }
        }

        func loadConnectionParameters(
            _ parameters: ConnectionParameters, for address: BluetoothAddress, _ kind: BluetoothAddress.Kind,
            on adapter: String, deadline: Duration, _ answer: @escaping @Sendable (BluetoothError?) -> Void
        ) {
            state.withLock {
                $0.requests.append("parameters of \(address) (\(kind)) on \(adapter): \(parameters.maximumInterval)")
                $0.loads.append(answer)
            }
        }

        func answer(_ result: Result<LinkFacts, BluetoothError>) { state.withLock { $0.facts.removeFirst() }(result) }
        func answerLoad(_ error: BluetoothError?) { state.withLock { $0.loads.removeFirst() }(error) }
    }

    let controller = Controller()
    let stage: Stage
    let peripheral: Peripheral

    init() {
        stage = Stage(with: [Sensor.peripheral, Sensor.other], controller: controller)
        peripheral = stage.find(Sensor.address)
    }

    @Test(.proves(.S118), .covers(.linkFacts)) func `Known and unknown facts of a link are one value`() {
        let link = stage.connect(peripheral)
        let facts = stage.record(peripheral.readLinkFacts())
        stage.advance(0)
        #expect(controller.requests == ["facts of \(Sensor.text) on hci0 for 5.0 seconds"])
        var known = LinkFacts(unknownBecause: "the kernel does not report it")
        known.role = .known(.central)
        known.rssi = .known(-50)
        controller.answer(.success(known))
        stage.advance(0)
        #expect(facts.elements == [known] && facts.isCompleted)
        #expect(known.interval.description == "unknown, because the kernel does not report it")
        #expect(known.role.value == .central && known.phy.value == nil && known.rssi.description == "-50")
        #expect(stage.methods.filter { $0 != "Connect" }.isEmpty && link.isLive)
    }

    @Test(.proves(.S118, .Q62)) func `The controller gets the current address of the device`() {
        let stage = Stage(starting: false, controller: controller)
        let daemon = ScriptedDaemon(on: stage, .oneKnownDevice)
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(0)
        guard let peripheral = known.elements.first?.first?.peripheral else { preconditionFailure("No peripheral.") }
        let link = stage.connect(peripheral, daemon)
        daemon.deviceChanges(["Address": .string("00:11:22:33:44:55"), "AddressType": .string("public")])
        let facts = stage.record(peripheral.readLinkFacts())
        let request = stage.record(peripheral.requestConnectionParameters(.fast))
        stage.advance(0)
        #expect(controller.requests.first == "facts of 00:11:22:33:44:55 on hci0 for 5.0 seconds")
        #expect(controller.requests.last?.hasPrefix("parameters of 00:11:22:33:44:55 (public) on hci0") == true)
        controller.answer(.success(LinkFacts(unknownBecause: "test")))
        controller.answerLoad(nil)
        stage.advance(0)
        #expect(facts.isCompleted && request.isCompleted)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S118)) func `Without a controller, all facts are unknown, and a request is unsupported`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let facts = stage.record(peripheral.readLinkFacts())
        stage.advance(0)
        #expect(facts.elements.first?.rssi == .unknown(because: "the manager was made without a HostController"))
        #expect(stage.record(peripheral.requestConnectionParameters(.fast)).outcome(stage) == .unsupported)
        // A controller of an earlier version has neither method.
        let old = Stage(with: [Sensor.peripheral], controller: RSSITests.ScriptedController())
        let sensor = old.find(Sensor.address)
        let other = old.connect(sensor)
        let unknown = old.record(sensor.readLinkFacts())
        #expect(old.record(sensor.requestConnectionParameters(.fast)).outcome(old) == .unsupported)
        #expect(unknown.elements.first?.role.value == nil && unknown.isCompleted)
        withExtendedLifetime((link, other)) {}
    }

    @Test(.proves(.S118), .covers(.connectionParameters))
    func `A request for another timing completes when the kernel has stored it`() {
        let link = stage.connect(peripheral)
        let request = stage.record(peripheral.requestConnectionParameters(.fast))
        stage.advance(0)
        #expect(controller.requests == ["parameters of \(Sensor.text) (random) on hci0: 0.015 seconds"])
        #expect(request.isLive)
        controller.answerLoad(nil)
        stage.advance(0)
        #expect(request.isCompleted && link.isLive)
    }

    @Test(.proves(.S118)) func `A missing capability is a typed refusal with advice`() {
        let link = stage.connect(peripheral)
        let request = stage.record(peripheral.requestConnectionParameters(.lowPower))
        stage.advance(0)
        controller.answerLoad(BluetoothError(.unauthorized))
        stage.advance(0)
        #expect(request.kind == .unauthorized && request.error?.operation == .updateLink)
        #expect(request.error?.description.contains("CAP_NET_ADMIN") == true)
        #expect(link.isLive)
    }

    @Test(
        .proves(.S118),
        arguments: [
            ConnectionParameters(minimumInterval: .milliseconds(7), maximumInterval: .milliseconds(20)),
            ConnectionParameters(minimumInterval: .milliseconds(20), maximumInterval: .seconds(5)),
            ConnectionParameters(minimumInterval: .milliseconds(30), maximumInterval: .milliseconds(20)),
            ConnectionParameters(minimumInterval: .milliseconds(20), maximumInterval: .milliseconds(20), latency: 500),
            ConnectionParameters(minimumInterval: .milliseconds(20), maximumInterval: .milliseconds(20), latency: -1),
            ConnectionParameters(
                minimumInterval: .milliseconds(20), maximumInterval: .milliseconds(20), supervisionTimeout: .seconds(33)
            ),
            ConnectionParameters(
                minimumInterval: .milliseconds(20), maximumInterval: .milliseconds(100), latency: 4,
                supervisionTimeout: .seconds(1)),
        ])
    func `Contradictory parameters are refused before anything is sent`(parameters: ConnectionParameters) {
        let link = stage.connect(peripheral)
        #expect(stage.record(peripheral.requestConnectionParameters(parameters)).outcome(stage) == .invalidArgument)
        #expect(controller.requests.isEmpty)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S118)) func `The presets are valid, and the kernel gets them in its units`() {
        for preset in [ConnectionParameters.fast, .balanced, .lowPower] { #expect(preset.flaw == nil) }
        #expect(
            ManagementSocket.loadBody(.fast, for: Sensor.address, .random) == [
                1, 0, 0x21, 0, 0, 0xEE, 0xFF, 0xC0, 2, 6, 0, 12, 0, 0, 0, 0x90, 1,
            ])
    }

    @Test(.proves(.S118), arguments: [Duration.zero, .seconds(-1)])
    func `A deadline of zero or less has passed at once`(deadline: Duration) {
        var deadlines = Deadlines.prompt
        deadlines.rssi = deadline
        let stage = Stage(with: [Sensor.peripheral], deadlines: deadlines, controller: Controller())
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        #expect(stage.record(peripheral.readLinkFacts()).outcome(stage) == .timedOut)
        #expect(stage.record(peripheral.requestConnectionParameters(.fast)).outcome(stage) == .timedOut)
        #expect(link.isLive)
    }

    @Test(.proves(.S118)) func `Without a connection, nothing is requested`() {
        #expect(stage.record(peripheral.readLinkFacts()).outcome(stage) == .notConnected)
        #expect(stage.record(peripheral.requestConnectionParameters(.fast)).outcome(stage) == .notConnected)
        #expect(controller.requests.isEmpty)
    }

    @Test(.proves(.S118)) func `An unanswered request times out, and a lost link ends it with its reason`() {
        let link = stage.connect(peripheral)
        let facts = stage.record(peripheral.readLinkFacts())
        let request = stage.record(peripheral.requestConnectionParameters(.fast))
        stage.advance(4_999)
        #expect(facts.isLive && request.isLive)
        stage.advance(1)
        #expect(facts.kind == .timedOut && request.kind == .timedOut)
        // A late answer is ignored.
        controller.answer(.success(LinkFacts(unknownBecause: "late")))
        controller.answerLoad(nil)
        stage.advance(0)
        #expect(facts.times.count == 1 && request.times.count == 1)
        let second = stage.record(peripheral.readLinkFacts())
        stage.advance(0)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(100)
        #expect(second.kind == .linkLost(.remote) && link.kind == .linkLost(.remote))
        #expect(second.error?.operation == .readLink)
    }
}
