import Rx
import RxBluetooth
import RxBluetoothMocks
import Synchronization

@testable import Gateway

/// Connections of a gateway to simulated devices, in virtual time.
final class GATTSetup {
    let virtual = VirtualLoop()
    let simulation: Simulation
    let manager: BluetoothManager
    let central: GATTCentral
    private(set) var events: [GATTEvent] = []
    private var book: CommandBook
    private let scan: any Disposable

    init(_ scenario: Scenario, _ devices: [DeviceSettings], settings: GATTCentral.Settings = .init()) {
        book = CommandBook(allowed: Set(devices.map(\.address)))
        simulation = Simulation(scenario, scheduler: virtual.scheduler)
        manager = BluetoothManager(
            configuration: .init(scheduler: virtual.scheduler), bus: simulation.connect())
        let central = GATTCentral(manager: manager, loop: virtual.loop, devices: devices, settings: settings)
        self.central = central
        let bound = virtual.loop.bound(central)
        scan = manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true, resumes: true))
            .subscribe(onNext: { bound.value.heard($0.peripheral.address, kind: $0.peripheral.addressKind) })
        central.handler = { [weak self] in self?.receive($0) }
        central.start()
    }

    deinit {
        scan.dispose()
        central.stop()
        virtual.advance(by: .seconds(20))
    }

    func advance(by duration: Duration) { virtual.advance(by: duration) }

    func send(_ text: String, to address: BluetoothAddress, isRetained: Bool = false) {
        let message = ReceivedMessage(topic: "t", payload: Array(text.utf8), isRetained: isRetained)
        let time = virtual.scheduler.now
        switch book.receive(message, for: address, now: virtual.loop.monotonicTime, time: time) {
        case .accepted(let command, _): central.receive(command)
        case .refused(let id, let failure):
            let result = CommandResult(address, id: id, failure: failure, time: time)
            events.append(GATTEvent(address: address, time: time, content: .result(result)))
        case .ignored: break
        }
    }

    private func receive(_ event: GATTEvent) {
        if case .result(let result) = event.content, let id = result.id { book.finish(id, of: event.address) }
        events.append(event)
    }

    func values(of address: BluetoothAddress) -> [GATTValue] {
        events.compactMap { event in
            if case .value(let value) = event.content, event.address == address { value } else { nil }
        }
    }

    var failures: [GATTFailure] {
        events.compactMap { if case .failure(let failure) = $0.content { failure } else { nil } }
    }

    func states(of address: BluetoothAddress) -> [GATTLinkState] {
        events.compactMap { event in
            if case .state(let state) = event.content, event.address == address { state } else { nil }
        }
    }

    /// The payloads of the results, without their times.
    var results: [String] {
        events.compactMap { event in
            guard case .result(let result) = event.content else { return nil }
            guard case .object(let members)? = try? JSONParser.parse(result.payload) else { return "" }
            return String(decoding: JSONNode.object(members.filter { $0.key != "time" }).encoded, as: UTF8.self)
        }
    }
}

/// The values that simulated devices have sent, with one number for each value.
final class SentValues: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Returns the next value of a device: its number in four bytes.
    func next(_ device: String) -> [UInt8] {
        let number = counts.withLock { counts in
            counts[device, default: 0] += 1
            return counts[device] ?? 0
        }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    func count(_ device: String) -> Int { counts.withLock { $0[device] ?? 0 } }

    static func number(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

extension DeviceSettings {
    init(_ address: BluetoothAddress, _ jobs: [GATTJob]) {
        self.init(address: address)
        self.jobs = jobs
    }
}
