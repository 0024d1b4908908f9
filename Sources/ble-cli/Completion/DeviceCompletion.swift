import ArgumentParser
import Dispatch
import Rx
import RxBluetooth
import RxBluetoothMocks

/// Completes names and addresses of devices, and adapters, with the values of bluetoothd.
///
/// A shell runs the program when the user presses Tab. So a query has a short time limit, and prints nothing if it
/// fails.
enum DeviceCompletion {
    /// The time limit of a query.
    static let timeout = Duration.milliseconds(800)

    /// Emits the names and addresses of the devices that bluetoothd knows. Emits an empty list after an error.
    static func devices(
        of manager: BluetoothManager, scheduler: any SchedulerType
    ) -> Observable<[CompletionCandidate]> {
        limited(manager.knownPeripherals().asObservable(), scheduler) { known in
            candidates(for: known.map { ($0.peripheral.address.description, $0.names) })
        }
    }

    /// Emits the names of the adapters. Emits an empty list after an error.
    static func adapters(
        of manager: BluetoothManager, scheduler: any SchedulerType
    ) -> Observable<[CompletionCandidate]> {
        limited(manager.adapters.take(1), scheduler) { adapters in
            adapters.map { CompletionCandidate(word: $0.name, note: $0.address?.description ?? "") }
        }
    }

    private static func limited<Value: Sendable>(
        _ query: Observable<Value>, _ scheduler: any SchedulerType,
        _ transform: @escaping @Sendable (Value) -> [CompletionCandidate]
    ) -> Observable<[CompletionCandidate]> {
        query.map(transform).timeout(timeout.interval, scheduler: scheduler).catchAndReturn([])
    }

    /// Returns the words that name devices: first the names, then the addresses.
    ///
    /// The names of a device are the user's alias and the name that the device has.
    /// A name is left out if it is not unique, would be read as an option or an address, or contains characters that
    /// a terminal does not show or that a shell interprets within quotes. The address of the device is always present.
    static func candidates(for devices: [(address: String, names: [String])]) -> [CompletionCandidate] {
        let each = devices.flatMap { Set($0.names.map { $0.lowercased() }) }
        let count = Dictionary(each.map { ($0, 1) }, uniquingKeysWith: +)
        var names: [CompletionCandidate] = []
        var addresses: [CompletionCandidate] = []
        for device in devices {
            let note = device.names.first.map { Sanitiser.clean($0) } ?? ""
            addresses.append(CompletionCandidate(word: device.address, note: note))
            names += device.names.filter { count[$0.lowercased()] == 1 && canBeTyped($0) }
                .map { CompletionCandidate(word: $0, note: device.address) }
        }
        return names + addresses
    }

    private static func canBeTyped(_ name: String) -> Bool {
        guard !name.hasPrefix("-"), !name.hasPrefix("~"), name == name.trimmed, Sanitiser.isHarmless(name),
            // bash 5.2 does not quote all of these when it inserts a word.
            !name.contains(where: { "$`\\\"!".contains($0) }), let target = try? Target(parsing: name)
        else { return false }
        return target == .part(name)
    }
}

extension DeviceCompletion {
    /// Returns the devices for a command line: those of `--scenario` or `--simulate`, otherwise those of bluetoothd.
    static func devices(_ words: CompletionWords) -> [CompletionCandidate] {
        let isSimulated = words.contains("--simulate") || words.value(of: "--bluez") != nil
        let scenario = words.value(of: "--scenario") ?? (isSimulated ? ScenarioArgument.standard : nil)
        if let scenario {
            let peripherals = (try? ScenarioArgument.parse(scenario))?.peripherals ?? []
            return candidates(
                for: peripherals.map { peripheral -> (address: String, names: [String]) in
                    let advertised = peripheral.advertisement?.name.map { String(decoding: $0, as: UTF8.self) }
                    return (peripheral.address, [advertised ?? peripheral.name])
                })
        }
        return result(for: words) { devices(of: $0, scheduler: $1) }
    }

    /// Returns the adapters of bluetoothd.
    static func adapters(_ words: CompletionWords) -> [CompletionCandidate] {
        result(for: words) { adapters(of: $0, scheduler: $1) }
    }

    /// Runs a query, and blocks until it has ended.
    private static func result(
        for words: CompletionWords,
        _ query: (BluetoothManager, any SchedulerType) -> Observable<[CompletionCandidate]>
    ) -> [CompletionCandidate] {
        let queue = DispatchQueue(label: "ble-cli")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "ble-cli.completion")
        var configuration = BluetoothManager.Configuration(scheduler: scheduler)
        if let adapter = words.value(of: "--adapter").flatMap({ try? AdapterSelection(parsing: $0) }) {
            configuration.adapter = adapter
        }
        let result = Guarded<[CompletionCandidate]>([])
        let isDone = DispatchSemaphore(value: 0)
        let subscription = query(BluetoothManager(configuration: configuration), scheduler)
            .subscribe(
                onNext: { list in result.withLock { $0 = list } }, onDisposed: { isDone.signal() })
        // The query has its own time limit; this one is for a bus that blocks.
        if isDone.wait(timeout: .now() + .seconds(1)) == .timedOut { subscription.dispose() }
        return result.withLock { $0 }
    }
}
