import Dispatch
import Foundation
import RxBluetooth
import Testing

/// The virtual machine of these tests: a real bluetoothd and the peripherals of `Lab/peripherals.py`.
enum Lab {
    static let isRunning = ProcessInfo.processInfo.environment["RXBLUETOOTH_LAB"] == "1"

    /// How many peripherals advertise; see `Lab/README.md`.
    static let peripheralCount = 11

    /// The version of BlueZ, for example `5.82`. Each has two digits after the point, so the order of texts is right.
    static let version = ProcessInfo.processInfo.environment["RXBLUETOOTH_BLUEZ"] ?? "5.82"

    /// The reason of a link loss by the peripheral. bluetoothd reports it from 5.83 on.
    static let reasonOfLoss: BluetoothError.DisconnectReason = version < "5.83" ? .unknown : .remote

    /// A time-out that is long enough for any step, also in software emulation.
    static let timeout: RxTimeInterval = .seconds(300)
    static let clock = SerialDispatchQueueScheduler(qos: .default)

    /// Deadlines that no short step of a slow machine exceeds. A closing that reaches its deadline leaves a link.
    private static let deadlines: Deadlines = {
        var deadlines = Deadlines()
        for step in [\Deadlines.disconnect, \.startScan, \.stopScan, \.snapshot, \.power, \.cleanup, \.rssi] {
            deadlines[keyPath: step] = .seconds(300)
        }
        return deadlines
    }()

    /// Returns a new manager with a queue of this name.
    static func manager(_ name: String, pairing: PairingPolicy = PairingPolicy()) -> BluetoothManager {
        BluetoothManager(
            configuration: .init(queue: DispatchQueue(label: name), deadlines: deadlines, pairing: pairing))
    }

    /// Runs a test with a new manager, closes it, and expects that no scan and no link are left.
    static func withManager(
        pairing: PairingPolicy = PairingPolicy(), _ body: (BluetoothManager) async throws -> Void
    ) async throws {
        let manager = manager("test", pairing: pairing)
        do {
            try await body(manager)
            try await manager.close().value
        } catch {
            try await manager.close().value
            throw error
        }
        try await expectNothingLeft()
    }

    /// Expects that bluetoothd neither scans nor has a link, as other programs see it.
    ///
    /// - Parameter seconds: How long links may remain.
    static func expectNothingLeft(within seconds: Int = 0) async throws {
        for _ in 0..<seconds {
            if try connectedDevices().isEmpty { break }
            try await pass(.seconds(1))
        }
        let discovering = try Command.run(
            "busctl", "--system", "get-property", "org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1", "Discovering")
        #expect(discovering.output == "b false\n")
        // A variable, so that a failure prints the devices.
        let connected = try connectedDevices()
        #expect(connected == [])
    }

    /// The lines that list a device, without events such as `[DEL] Device ...` that bluetoothctl prints between them.
    private static func connectedDevices() throws -> [String] {
        try Command.run("bluetoothctl", "devices", "Connected").output.split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("Device ") }
    }
}

extension ObservableType where Element: Sendable {
    /// Returns the first element. Throws if none arrives within the limit.
    func firstValue(within limit: RxTimeInterval = Lab.timeout) async throws -> Element {
        try await take(1).timeout(limit, scheduler: Lab.clock).asSingle().value
    }

    /// Returns all elements of the stream. Throws if the stream does not complete within ``Lab/timeout``.
    func allValues() async throws -> [Element] {
        try await toArray().timeout(Lab.timeout, scheduler: Lab.clock).value
    }

    /// Emits the elements of this stream, and stays subscribed to another stream meanwhile.
    func alongside<Other: Sendable>(_ other: Observable<Other>) -> Observable<Element> {
        Observable<Element>.merge([asObservable(), other.compactMap { _ -> Element? in nil }])
    }
}

extension BluetoothManager {
    /// Scans until a peripheral with this name is found.
    func peripheral(named name: String) async throws -> Peripheral {
        try await scanForPeripherals().filter { $0.peripheral.name == name }.firstValue().peripheral
    }

    /// Connects to a peripheral by its name while the body runs, which must end within the limit in seconds.
    ///
    /// The body runs in a child of the test's task, so its failures are those of the test.
    func withConnection(
        to name: String, within limit: Double = 300,
        _ body: @escaping @Sendable (Peripheral) async throws -> Void
    ) async throws {
        let connection = StreamProgress(try await peripheral(named: name).connect())
        defer { connection.dispose() }
        let state = try await connection.wait(atMost: 300) { $0.last != nil || $0.error != nil }
        if let error = state.error { throw error }
        let peripheral = try #require(state.last)
        try await withThrowingTaskGroup { group in
            group.addTask { try await body(peripheral) }
            group.addTask {
                // The body ends if the link is lost.
                if let error = try await connection.wait(atMost: limit, until: { $0.error != nil }).error {
                    throw error
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

extension Peripheral {
    /// Pairs. Repeats an attempt whose connection failed, as the advice of the error says: a busy machine may miss the
    /// time of the simulated radio. All other errors are those of the test.
    func pairRepeating() async throws {
        for _ in 0..<2 {
            do {
                return try await pair().value
            } catch let error as BluetoothError {
                guard case .connectFailed = error.kind else { throw error }
                print("The connection of a pairing failed, and is repeated: \(error)")
            }
        }
        try await pair().value
    }

    /// Discovers the characteristic with this UUID, in the service with that UUID, and returns it.
    func characteristic(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) async throws -> Characteristic {
        try await discoverServices([service])
            .flatMap { $0.discoverCharacteristics([characteristic]) }
            .firstValue()
    }
}
