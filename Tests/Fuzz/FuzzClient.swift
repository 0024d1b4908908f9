import DBus
import Logging
import Rx
import RxBluetooth

/// A client of RxBluetooth with a scan, a link and notifications, to which a campaign sends messages.
final class FuzzClient {
    private let bus: FuzzBus
    private let manager: BluetoothManager
    private let recorder: TallyLog
    private var subscriptions: [any Disposable] = []
    private var scan = Stream<ScannedPeripheral>()
    private var link = Stream<Peripheral>()
    private var notifications = Stream<[UInt8]>()
    private var characteristic: Characteristic?
    private var other: Peripheral?

    /// The events that a stream has emitted so far.
    final class Stream<Element>: @unchecked Sendable {
        // Guard: only the thread of the campaign uses it.
        var elements: [Element] = []
        var ends = 0
        var error: (any Error)?
        var isLive: Bool { ends == 0 }
    }

    /// Makes a client. Its calls of the methods in `held` wait until the campaign answers them.
    init(_ corpus: Corpus, _ recorder: TallyLog, holding held: Set<String> = []) {
        self.recorder = recorder
        bus = FuzzBus(corpus.answers)
        bus.held = held
        let logger = Logger(label: "fuzz") { _ in CountingLog(recorder) }
        manager = BluetoothManager(configuration: .init(scheduler: InlineScheduler(), logger: logger), bus: bus)
        recorder.tally.clients += 1
    }

    deinit {
        for subscription in subscriptions { subscription.dispose() }
        bus.drain()
        bus.close()
    }

    /// Starts the scan, the link and the notifications. Traps if that fails: the test itself is broken.
    func begin() {
        let known = watch(manager.knownPeripherals().asObservable())
        bus.drain()
        guard let peripherals = known.elements.first?.map(\.peripheral), peripherals.count == 2 else {
            preconditionFailure("The client does not read a well-formed snapshot.")
        }
        other = peripherals[1]
        scan = watch(manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        link = watch(peripherals[0].connect())
        bus.drain()
        let found = watch(peripherals[0].discoverServices().flatMap { $0.discoverCharacteristics() })
        bus.drain()
        guard let characteristic = found.elements.first else { preconditionFailure("There is no characteristic.") }
        self.characteristic = characteristic
        notifications = watch(characteristic.observeValueUpdates())
        bus.drain()
        precondition(isIntact, "The client does not start.")
    }

    /// Whether the scan, the link and the notifications are still active.
    var isIntact: Bool { scan.isLive && link.isLive && notifications.isLive && characteristic != nil }

    private func watch<Element: Sendable>(_ observable: Observable<Element>) -> Stream<Element> {
        let stream = Stream<Element>()
        subscriptions.append(
            observable.subscribe(
                onNext: { stream.elements.append($0) },
                onError: {
                    stream.ends += 1
                    stream.error = $0
                }, onCompleted: { stream.ends += 1 }))
        return stream
    }

    // MARK: Feeding

    func signal(_ message: Message) {
        if bus.deliver(message) { recorder.tally.signals += 1 } else { recorder.tally.unmatched += 1 }
        for advertisement in scan.elements { check(advertisement) }
        recorder.tally.advertisements += scan.elements.count
        recorder.tally.notified += notifications.elements.count
        scan.elements = []
        notifications.elements = []
        for error in [scan.error, link.error, notifications.error] { check(error) }
    }

    /// Starts a read or a write, and answers its call with a message. The operation must have one outcome.
    func operation(_ member: String, _ message: Message) {
        guard let characteristic else { return }
        bus.held = [member]
        let outcome =
            member == "ReadValue"
            ? watch(characteristic.readValue().asObservable())
            : watch(characteristic.writeValue([1]).andThen(Observable<[UInt8]>.empty()))
        answer(member, message)
        bus.held = []
        expectOutcome(outcome, member)
        recorder.tally.valuesRead += outcome.elements.count
        subscriptions.removeLast()
    }

    /// Starts a connection attempt, and answers its call with a message.
    ///
    /// The client cannot be used afterwards.
    func connection(_ message: Message) {
        guard let other else { return }
        bus.held = ["Connect"]
        let outcome = watch(other.connect())
        answer("Connect", message)
        // Answers each further attempt with the same message: the client repeats an attempt that the controller aborts
        // (Q77).
        while outcome.isLive, outcome.elements.isEmpty, bus.rest() { answer("Connect", message) }
        // The client scans for a device that bluetoothd has removed, until the deadline of connecting (Q123).
        if outcome.isLive, outcome.elements.isEmpty { bus.expire() }
        if outcome.isLive, outcome.elements.isEmpty { recorder.find("connect() has no outcome") }
        check(outcome.error)
    }

    /// Ends the link with a signal, and answers the client's `Get` for the reason with a message.
    ///
    /// The client cannot be used afterwards.
    func loss(_ signal: Message, _ message: Message) {
        bus.held = ["Get"]
        _ = bus.deliver(signal)
        // Ends the delay in which the client waits for a late reason.
        _ = bus.rest()
        answer("Get", message)
        expectOutcome(link, "connect()")
        expectOutcome(notifications, "observeValueUpdates()")
    }

    /// Makes a new client start, and answers one of its first calls with a message.
    ///
    /// ``begin()`` must not have been called, and the client must hold the method.
    func start(_ member: String, _ message: Message) {
        let known = watch(manager.knownPeripherals().asObservable())
        bus.drain()
        answer(member, message)
        expectOutcome(known, "knownPeripherals() after \(member) = \(message.error?.description ?? message.signature)")
        for advertisement in known.elements.joined() { check(advertisement) }
        recorder.tally.known += known.elements.joined().count
    }

    private func answer(_ member: String, _ message: Message) {
        bus.drain()
        // Without a call, the operation has already failed: an earlier message may have removed the device.
        guard bus.isWaiting(for: member) else { return }
        if bus.answer(member, message) { recorder.tally.answers += 1 } else { recorder.tally.nonAnswers += 1 }
    }

    // MARK: What must hold

    private func expectOutcome<Element>(_ stream: Stream<Element>, _ operation: String) {
        if stream.ends != 1 { recorder.find("\(operation) has \(stream.ends) outcomes") }
        check(stream.error)
    }

    private func check(_ error: (any Error)?) {
        guard let error else { return }
        guard let error = error as? BluetoothError else { return recorder.find("an error of another type: \(error)") }
        if error.description.isEmpty || error.code.isEmpty { recorder.find("an error without a text") }
        recorder.tally.errors += 1
    }

    private func check(_ advertisement: ScannedPeripheral) {
        if let rssi = advertisement.rssi, rssi == 0 || !(-127...20).contains(rssi) {
            recorder.find("an RSSI of \(rssi) dBm")
        }
        if let name = advertisement.advertisementData.localName, name.isEmpty || name.hasSuffix("\0") {
            recorder.find("an empty name")
        }
        if advertisement.peripheral.description.isEmpty { recorder.find("a peripheral without a description") }
    }
}
