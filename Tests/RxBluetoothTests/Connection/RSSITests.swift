import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The RSSI of a live link. The library reads it from the controller: bluetoothd does not report it.
struct RSSITests {
    /// A controller that waits until the test answers each request.
    final class ScriptedController: HostController {
        private struct State {
            var requests: [String] = []
            var answers: [@Sendable (Result<Int, BluetoothError>) -> Void] = []
        }

        private let state = Guarded(State())

        /// The requests so far, in order, as text.
        var requests: [String] { state.withLock { $0.requests } }

        func readRSSI(
            of address: BluetoothAddress, on adapter: String, deadline: Duration,
            _ answer: @escaping @Sendable (Result<Int, BluetoothError>) -> Void
        ) {
            state.withLock {
                $0.requests.append("\(address) on \(adapter) for \(deadline)")
                $0.answers.append(answer)
            }
        }

        /// Answers the request with this index, counted from 0.
        func answer(_ number: Int, _ result: Result<Int, BluetoothError>) {
            state.withLock { $0.answers[number] }(result)
        }
    }

    let controller = ScriptedController()
    let stage: Stage
    let peripheral: Peripheral

    init() {
        stage = Stage(with: [Sensor.peripheral, Sensor.other], controller: controller)
        peripheral = stage.find(Sensor.address)
    }

    @Test(.proves(.S83), .covers(.rssi))
    func `RSSI is one value from the link's adapter, without a call to bluetoothd`() {
        let link = stage.connect(peripheral)
        stage.simulation.bluez.forgetCalls()
        let strength = stage.record(peripheral.readRSSI())
        stage.advance(4_999)
        #expect(controller.requests == ["\(Sensor.text) on hci0 for 5.0 seconds"])
        #expect(strength.isLive && strength.times.isEmpty)
        controller.answer(0, .success(-52))
        stage.advance(0)
        #expect(strength.elements == [-52])
        #expect(strength.isCompleted)
        #expect(stage.methods.isEmpty)
        // After the answer, the deadline must not fire. The next read sends a new request.
        stage.advance(10_000)
        let next = stage.record(peripheral.readRSSI())
        stage.advance(0)
        controller.answer(1, .success(-60))
        stage.advance(0)
        #expect(next.elements == [-60])
        #expect(link.isLive)
    }

    @Test func `Concurrent RSSI reads share one answer, and a disposed one gets none`() {
        let link = stage.connect(peripheral)
        let first = stage.record(peripheral.readRSSI())
        let second = stage.record(peripheral.readRSSI())
        let third = stage.record(peripheral.readRSSI())
        stage.advance(10)
        first.dispose()
        stage.advance(10)
        controller.answer(0, .success(-70))
        controller.answer(0, .success(-71))
        stage.advance(0)
        #expect(controller.requests.count == 1)
        #expect(first.times.isEmpty)
        #expect(second.elements == [-70] && third.elements == [-70])
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S83)) func `Reading RSSI without a connection fails without asking the controller`() {
        let before = stage.record(peripheral.readRSSI())
        #expect(before.outcome(stage) == .notConnected)
        #expect(before.error?.operation == .readRSSI)
        #expect(before.error?.target == Sensor.text)
        let link = stage.connect(peripheral)
        link.dispose()
        stage.advance(500)
        #expect(stage.record(peripheral.readRSSI()).outcome(stage) == .notConnected)
        #expect(controller.requests.isEmpty)
    }

    @Test func `Reading RSSI without a HostController is unsupported`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let strength = stage.record(peripheral.readRSSI())
        #expect(strength.outcome(stage) == .unsupported)
        #expect(strength.error?.description.contains("HostController") == true)
        #expect(link.isLive)
    }

    @Test(arguments: [
        BluetoothError.Kind.notConnected, .noAdapter, .unauthorized, .unsupported, .timedOut, .resourceExhausted,
    ])
    func `RSSI errors of the controller keep their kind and name the peripheral`(kind: BluetoothError.Kind) {
        let link = stage.connect(peripheral)
        let strength = stage.record(peripheral.readRSSI())
        stage.advance(0)
        controller.answer(0, .failure(BluetoothError(kind)))
        #expect(strength.outcome(stage) == kind)
        #expect(strength.error?.operation == .readRSSI)
        #expect(strength.error?.target == Sensor.text)
        #expect(link.isLive)
    }

    @Test func `An unanswered RSSI read times out, and its late answer is ignored`() {
        var deadlines = Deadlines()
        deadlines.rssi = .seconds(2)
        let stage = Stage(with: [Sensor.peripheral], deadlines: deadlines, controller: controller)
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        let late = stage.record(peripheral.readRSSI())
        let other = stage.record(stage.characteristic(Sensor.value, of: peripheral).readValue())
        stage.advance(1_999)
        // Another read completes while the RSSI is still read, because GATT operations do not wait for the RSSI.
        #expect(other.elements == [[1]])
        #expect(late.isLive)
        stage.advance(1)
        #expect(late.kind == .timedOut)
        let next = stage.record(peripheral.readRSSI())
        stage.advance(0)
        controller.answer(0, .success(-1))
        stage.advance(0)
        #expect(next.isLive && next.times.isEmpty)
        controller.answer(1, .success(-80))
        stage.advance(0)
        #expect(next.elements == [-80])
        #expect(link.isLive)
    }

    @Test(.proves(.S59, .S83)) func `A lost link fails an RSSI read once, with the link's reason if unanswered`() {
        let link = stage.connect(peripheral)
        let strength = stage.record(peripheral.readRSSI())
        stage.advance(0)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        controller.answer(0, .failure(BluetoothError(.notConnected)))
        stage.advance(1_000)
        let reasons: [BluetoothError.Kind?] = [.linkLost(.remote), .notConnected]
        #expect(reasons.contains(strength.kind))
        #expect(link.kind == .linkLost(.remote))

        let again = stage.connect(peripheral)
        let reading = stage.record(peripheral.readRSSI())
        stage.advance(0)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1_000)
        #expect(reading.kind == .linkLost(.remote))
        #expect(reading.error?.operation == .readRSSI)
        controller.answer(1, .success(-1))
        stage.advance(0)
        #expect(reading.times.count == 1)
        withExtendedLifetime(again) {}
    }

    @Test(.proves(.Q62)) func `RSSI is read at the current address of the device`() {
        let stage = Stage(starting: false, controller: controller)
        let daemon = ScriptedDaemon(on: stage, .oneKnownDevice)
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(0)
        guard let peripheral = known.elements.first?.first?.peripheral else { preconditionFailure("No peripheral.") }
        let link = stage.connect(peripheral, daemon)
        daemon.deviceChanges(["Address": .string("00:11:22:33:44:55")])
        let strength = stage.record(peripheral.readRSSI())
        stage.advance(0)
        #expect(controller.requests == ["00:11:22:33:44:55 on hci0 for 5.0 seconds"])
        controller.answer(0, .success(-40))
        stage.advance(0)
        #expect(strength.elements == [-40])
        withExtendedLifetime(link) {}
    }

    /// Tests the real `HCIController` without controllers, which build machines lack.
    ///
    /// The tests in the virtual machine read a real value.
    @Test func `Reading RSSI of a missing controller fails with a typed error`() async {
        for name in ["hci65000", "hci99999999999", "hci-1", "", "eth0"] {
            let result = await withCheckedContinuation { continuation in
                HCIController().readRSSI(of: Sensor.address, on: name, deadline: .seconds(1)) {
                    continuation.resume(returning: $0)
                }
            }
            let kinds: [BluetoothError.Kind] = [.noAdapter, .unsupported, .unauthorized]
            guard case .failure(let error) = result, kinds.contains(error.kind) else {
                Issue.record("“\(name)” gave \(result).")
                continue
            }
        }
    }
}
