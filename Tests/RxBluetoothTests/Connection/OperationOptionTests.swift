import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The priority and the deadline of single operations.
struct OperationOptionTests {
    let stage: Stage
    let peripheral: Peripheral
    let link: Recording<Peripheral>
    let value: Characteristic

    init() {
        (stage, peripheral) = Stage.withSensor()
        link = stage.connect(peripheral)
        value = stage.characteristic(Sensor.value, of: peripheral)
        stage.simulation.bluez.forgetCalls()
    }

    private static let high = OperationOptions(priority: .high)
    private static let low = OperationOptions(priority: .low)

    // MARK: Priority

    @Test(.proves(.S56), .covers(.operationPriority))
    func `Among 1,000 queued reads a write with high priority waits for one operation`() {
        let reads = (0..<1_000).map { _ in stage.record(value.readValue()) }
        stage.advance(20)
        let before = stage.methods.count
        #expect(stage.methods == [String](repeating: "ReadValue", count: before))
        let write = stage.record(value.writeValue([2], options: Self.high))
        stage.advance(100)
        #expect(write.isCompleted)
        #expect(stage.methods.firstIndex(of: "WriteValue") == before)
        stage.advance(20_000)
        #expect(reads.allSatisfy { $0.isCompleted })
        #expect(stage.count("ReadValue") == 1_000)
    }

    @Test(.proves(.S56)) func `A read with low priority runs within 24 others while higher ones never end`() {
        let notifying = stage.characteristic(Sensor.notifying, of: peripheral)
        let writes = stage.record(
            Observable.merge(
                (0..<30).map { _ in value.writeValue([1], options: Self.high).asObservable().repeatForever() }))
        let reads = stage.record(
            Observable.merge((0..<30).map { _ in value.readValue().asObservable().repeatForever() }))
        stage.advance(20)
        let started = stage.methods.count
        let read = stage.record(notifying.readValue(options: Self.low))
        stage.advance(1_000)
        #expect(read.elements == [[7]])
        let path = notifying.path
        #expect(stage.simulation.calls.dropFirst(started).prefix(26).contains { $0.path == path })
        #expect(writes.isLive && reads.isLive)
        writes.dispose()
        reads.dispose()
    }

    @Test(.proves(.S56)) func `Operations of all kinds start by priority, then in the order of subscriptions`() {
        let descriptor = stage.record(value.discoverDescriptors())
        stage.advance(0)
        let text = descriptor.elements[0]
        let notifying = stage.characteristic(Sensor.notifying, of: peripheral)
        let first = stage.record(value.readValue())
        stage.advance(1)
        stage.simulation.bluez.forgetCalls()
        let operations = [
            stage.record(value.writeValue([1], options: Self.low).andThen(Observable<[UInt8]>.empty())),
            stage.record(text.readValue(options: Self.high).asObservable()),
            stage.record(value.readValue().asObservable()),
            stage.record(notifying.observeValueUpdates(options: Self.high)),
            stage.record(text.writeValue([0x42], options: Self.low).andThen(Observable<[UInt8]>.empty())),
        ]
        let removed = stage.record(value.readValue(options: Self.high))
        stage.advance(1)
        removed.dispose()
        stage.advance(1_000)
        #expect(first.isCompleted && operations[3].isLive)
        let members = stage.simulation.calls.map { "\($0.interface.dropFirst(14)).\($0.member)" }
        #expect(
            members == [
                "Descriptor1.ReadValue", "Characteristic1.StartNotify", "Characteristic1.ReadValue",
                "Characteristic1.WriteValue", "Descriptor1.WriteValue",
            ])
    }

    @Test(.proves(.S56, .S69)) func `A subscriber with high priority moves the shared start of notifications`() {
        let notifying = stage.characteristic(Sensor.notifying, of: peripheral)
        let first = stage.record(value.readValue())
        let slow = stage.record(notifying.observeValueUpdates(options: Self.low))
        let reads = (0..<3).map { _ in stage.record(value.readValue()) }
        stage.advance(1)
        let urgent = stage.record(notifying.observeValueUpdates(options: Self.high))
        stage.advance(1_000)
        #expect(stage.methods == ["ReadValue", "StartNotify", "ReadValue", "ReadValue", "ReadValue"])
        #expect(first.isCompleted && reads.allSatisfy { $0.isCompleted } && slow.isLive && urgent.isLive)
    }

    @Test func `Priorities are ordered, and the default is the one in the middle`() {
        #expect(OperationOptions.Priority.allCases == [.low, .normal, .high])
        #expect(OperationOptions.Priority.allCases.sorted() == [.low, .normal, .high])
        #expect(OperationOptions() == OperationOptions(deadline: nil, priority: .normal))
    }

    // MARK: Deadline

    @Test(.proves(.S60, .S103), .covers(.operationDeadline))
    func `An operation fails at its own deadline, counted from its start`() {
        let slow = stage.characteristic(Sensor.slow, of: peripheral)
        let first = stage.record(slow.readValue())
        let second = stage.record(slow.readValue(options: OperationOptions(deadline: .seconds(2))))
        stage.advance(5_000)
        #expect(first.elements == [[5]])
        stage.advance(1_990)
        #expect(second.isLive)
        stage.advance(50)
        #expect(second.kind == .timedOut)
        #expect(second.error?.operation == .read)
    }

    @Test(.proves(.S103)) func `A longer deadline than that of the manager applies`() {
        var deadlines = Deadlines.prompt
        deadlines.operation = .seconds(1)
        let (stage, peripheral) = Stage.withSensor(deadlines: deadlines)
        let link = stage.connect(peripheral)
        let slow = stage.characteristic(Sensor.slow, of: peripheral)
        let read = stage.record(slow.readValue(options: OperationOptions(deadline: .seconds(10))))
        stage.advance(6_000)
        #expect(read.elements == [[5]])
        #expect(link.isLive)
    }

    @Test(.proves(.S103)) func `The deadline of turning notifications on is that of the subscription`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let values = stage.record(
            characteristic.observeValueUpdates(options: OperationOptions(deadline: .seconds(3))))
        stage.advance(2_999)
        #expect(values.isLive)
        stage.advance(1)
        #expect(values.kind == .timedOut)
        #expect(daemon.methods == ["Connect", "StartNotify", "StopNotify"])
        #expect(link.isLive)
    }

    @Test(.proves(.S103), arguments: [Duration.zero, .milliseconds(-1), .seconds(-1_000_000_000_000)])
    func `A deadline of zero or less is an argument error, and nothing is sent`(deadline: Duration) {
        let options = OperationOptions(deadline: deadline)
        let found = stage.record(value.discoverDescriptors())
        stage.advance(0)
        let text = found.elements[0]
        let notifying = stage.characteristic(Sensor.notifying, of: peripheral)
        let (address, kinds) = (Sensor.text, OperationErrors())
        kinds.add(stage.record(value.readValue(options: options)))
        kinds.add(stage.record(value.writeValue([1], options: options)))
        kinds.add(stage.record(value.writeValue([1], type: .withoutResponse, options: options)))
        kinds.add(stage.record(value.writeLongValue([1], options: options)))
        kinds.add(stage.record(value.acquireWrite(options: options)))
        kinds.add(stage.record(text.readValue(options: options)))
        kinds.add(stage.record(text.writeValue([1], options: options)))
        kinds.add(stage.record(notifying.observeValueUpdates(options: options)))
        kinds.add(stage.record(notifying.observeValueUpdates(using: .automatic, options: options)))
        kinds.add(stage.record(peripheral.exclusively(options: options) { [value] in $0.readValue(for: value) }))
        stage.advance(1)
        for error in kinds.errors {
            #expect(error?.kind == .invalidArgument)
            #expect(error?.detail == "The deadline of an operation must be longer than zero")
            #expect(error?.target?.contains(address) == true)
        }
        #expect(
            kinds.errors.map(\.?.operation) == [
                .read, .write, .write, .write, .write, .readDescriptor, .writeDescriptor, .notify, .notify,
                .exclusiveAccess,
            ])
        #expect(stage.methods.isEmpty)
        #expect(link.isLive)
    }
}

/// The errors of recordings with elements of different types.
private final class OperationErrors {
    private var all: [() -> BluetoothError?] = []

    var errors: [BluetoothError?] { all.map { $0() } }

    func add<Element>(_ recording: Recording<Element>) { all.append { recording.error } }
}

extension Observable where Element: Sendable {
    /// Subscribes again after each completion.
    fileprivate func repeatForever() -> Observable<Element> { concat(Observable.deferred { self.repeatForever() }) }
}

extension Characteristic {
    /// The path of bluetoothd's object for the characteristic of the sensor.
    fileprivate var path: String {
        func hex(_ number: UInt16) -> Substring { String(Int(number) + 0x10000, radix: 16).dropFirst() }
        return "\(Sensor.path)/service\(hex(service.handle))/char\(hex(handle))"
    }
}
