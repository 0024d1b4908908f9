import DBus
import Logging
import Rx
import RxBluetooth

/// A client with everything under way that reads what comes: a scan, a link, notifications. A campaign feeds it.
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

    /// What a stream has told so far.
    final class Stream<Element>: @unchecked Sendable {
        // Guard: made and used by one thread, that of its campaign.
        var elements: [Element] = []
        var ends = 0
        var error: (any Error)?
        var isLive: Bool { ends == 0 }
    }

    /// A client of a bus on which some methods wait to be answered by the campaign.
    init(_ corpus: Corpus, _ recorder: TallyLog, holding held: Set<String> = []) {
        self.recorder = recorder
        bus = FuzzBus(corpus.answers)
        bus.held = held
        let logger = Logger(label: "fuzz") { _ in CountingLog(recorder) }
        manager = BluetoothManager(bus: bus, scheduler: InlineScheduler(), logger: logger)
        recorder.tally.clients += 1
    }

    deinit {
        for subscription in subscriptions { subscription.dispose() }
        bus.drain()
        bus.close()
    }

    /// Puts everything under way. Where that fails, the corpus or the client is broken.
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
        precondition(isIntact, "The client does not get under way.")
    }

    /// Whether everything is still under way.
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
        if bus.deliver(message) { recorder.tally.signals += 1 } else { recorder.tally.strangers += 1 }
        for sighting in scan.elements { check(sighting) }
        recorder.tally.sightings += scan.elements.count
        recorder.tally.notified += notifications.elements.count
        scan.elements = []
        notifications.elements = []
        for error in [scan.error, link.error, notifications.error] { check(error) }
    }

    /// Lets a message answer a read or a write, which then has one outcome.
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

    /// Lets a message answer the attempt to connect. The world is spent then.
    func connection(_ message: Message) {
        guard let other else { return }
        bus.held = ["Connect"]
        let outcome = watch(other.connect())
        answer("Connect", message)
        // An attempt that the controller gave up is made again (Q77), and has the same answer.
        while outcome.isLive, outcome.elements.isEmpty, bus.rest() { answer("Connect", message) }
        if outcome.isLive, outcome.elements.isEmpty { recorder.find("connect() has no outcome") }
        check(outcome.error)
    }

    /// Lets a message answer the question why a link was lost. The world is spent then.
    func loss(_ signal: Message, _ message: Message) {
        bus.held = ["Get"]
        _ = bus.deliver(signal)
        // A reason that may yet come is waited for first.
        _ = bus.rest()
        answer("Get", message)
        expectOutcome(link, "connect()")
        expectOutcome(notifications, "observeValueUpdates()")
    }

    /// Lets a message answer what a client asks at its start. Only for a world that has not begun, and holds the method.
    func start(_ member: String, _ message: Message) {
        let known = watch(manager.knownPeripherals().asObservable())
        bus.drain()
        answer(member, message)
        expectOutcome(known, "knownPeripherals() after \(member) = \(message.error?.description ?? message.signature)")
        for sighting in known.elements.joined() { check(sighting) }
        recorder.tally.known += known.elements.joined().count
    }

    private func answer(_ member: String, _ message: Message) {
        bus.drain()
        // The device may be gone by now; then nothing is asked, and the operation has failed already.
        guard bus.isWaiting(for: member) else { return }
        if bus.answer(member, message) { recorder.tally.answers += 1 } else { recorder.tally.noAnswers += 1 }
    }

    // MARK: What must hold

    private func expectOutcome<Element>(_ stream: Stream<Element>, _ operation: String) {
        if stream.ends != 1 { recorder.find("\(operation) has \(stream.ends) outcomes") }
        check(stream.error)
    }

    private func check(_ error: (any Error)?) {
        guard let error else { return }
        guard let error = error as? BluetoothError else { return recorder.find("an error of another type: \(error)") }
        if error.description.isEmpty || error.code.isEmpty { recorder.find("an error without words") }
        recorder.tally.errors += 1
    }

    private func check(_ sighting: ScannedPeripheral) {
        if let rssi = sighting.rssi, rssi == 0 || !(-127...20).contains(rssi) {
            recorder.find("a strength of \(rssi) dBm")
        }
        if let name = sighting.advertisementData.localName, name.isEmpty || name.hasSuffix("\0") {
            recorder.find("a name of nothing")
        }
        if sighting.peripheral.description.isEmpty { recorder.find("a peripheral without words") }
    }
}
