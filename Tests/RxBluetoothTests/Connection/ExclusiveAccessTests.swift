import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Exclusive access to the operations of a connection.
struct ExclusiveAccessTests {
    let stage: Stage
    let peripheral: Peripheral
    let link: Recording<Peripheral>
    let value: Characteristic
    let notifying: Characteristic
    let slow: Characteristic

    init() {
        (stage, peripheral) = Stage.withSensor()
        link = stage.connect(peripheral)
        value = stage.characteristic(Sensor.value, of: peripheral)
        notifying = stage.characteristic(Sensor.notifying, of: peripheral)
        slow = stage.characteristic(Sensor.slow, of: peripheral)
        stage.simulation.bluez.forgetCalls()
    }

    private static let high = OperationOptions(priority: .high)

    @Test(.proves(.S67, .S104), .covers(.exclusiveAccess))
    func `No other operation comes between those of an exclusive access`() {
        let before = stage.record(value.readValue())
        let access = stage.record(
            peripheral.exclusively { [value] operations in
                operations.writeValue([1], for: value)
                    .andThen(operations.writeValue([2], for: value))
                    .andThen(operations.readValue(for: value))
            })
        let others = (0..<5).map { _ in stage.record(notifying.readValue(options: Self.high)) }
        stage.advance(20)
        let late = (0..<5).map { _ in stage.record(notifying.readValue(options: Self.high)) }
        stage.advance(1_000)
        #expect(before.isCompleted && (others + late).allSatisfy { $0.elements == [[7]] })
        #expect(access.elements == [[2]])
        #expect(access.isCompleted)
        let calls = stage.methods
        let start = calls.firstIndex(of: "WriteValue")
        #expect(start.map { Array(calls[$0...].prefix(3)) } == ["WriteValue", "WriteValue", "ReadValue"])
        #expect(calls.count == 14)
    }

    @Test(.proves(.S104)) func `The closure runs when the access begins, and its pauses keep others waiting`() {
        let begun = Guarded(false)
        let gate = PublishSubject<Int>()
        let first = stage.record(slow.readValue())
        let access = stage.record(
            peripheral.exclusively { operations in
                begun.withLock { $0 = true }
                return gate.take(1)
            })
        let other = stage.record(value.readValue())
        stage.advance(4_900)
        #expect(!begun.withLock { $0 })
        stage.advance(10_000)
        #expect(begun.withLock { $0 } && first.isCompleted)
        #expect(other.isLive && access.isLive && stage.methods == ["ReadValue"])
        gate.onNext(7)
        stage.advance(100)
        #expect(access.elements == [7] && access.isCompleted)
        #expect(other.elements == [[1]])
    }

    @Test(.proves(.S104, .S57)) func `Disposing cancels an exclusive access as one`() {
        let access = stage.record(
            peripheral.exclusively { [slow, value] operations in
                Observable.merge(
                    operations.readValue(for: slow).asObservable(),
                    operations.writeValue([9], for: value).andThen(Observable.empty()),
                    operations.writeValue([8], for: value).andThen(Observable.empty()))
            })
        let other = stage.record(value.readValue())
        stage.advance(1_000)
        access.dispose()
        stage.advance(3_900)
        #expect(stage.methods == ["ReadValue"])
        stage.advance(1_000)
        #expect(stage.methods == ["ReadValue", "ReadValue"])
        #expect(other.elements == [[1]])
        #expect(access.times.isEmpty)
    }

    @Test(.proves(.S104, .S57)) func `A request that is disposed of while it waits never begins`() {
        let first = stage.record(slow.readValue())
        let access = stage.record(
            peripheral.exclusively { [value] operations in
                Issue.record("The access began.")
                return operations.readValue(for: value)
            })
        stage.advance(100)
        access.dispose()
        stage.advance(10_000)
        #expect(first.isCompleted)
        #expect(stage.methods == ["ReadValue"])
    }

    @Test(.proves(.S104, .S60)) func `At its deadline an exclusive access fails with its running operation`() {
        let results = Results()
        let access = stage.record(
            peripheral.exclusively(options: OperationOptions(deadline: .seconds(2))) { [slow, value] operations in
                Observable.merge(
                    operations.readValue(for: slow).asObservable().record(results),
                    operations.readValue(for: value).asObservable().record(results))
            })
        let other = stage.record(value.readValue())
        stage.advance(1_990)
        #expect(access.isLive && other.isLive)
        stage.advance(20)
        #expect(access.kind == .timedOut)
        #expect(access.error?.operation == .exclusiveAccess)
        #expect(access.error?.target == Sensor.text)
        #expect(access.times.count == 1)
        // The operations of the access were disposed of before they ended.
        #expect(results.texts.isEmpty)
        stage.advance(10_000)
        #expect(other.elements == [[1]])
        #expect(stage.methods == ["ReadValue", "ReadValue"])
    }

    @Test(.proves(.S104, .S60), arguments: [["ReadValue"], []])
    func `At the deadline of an access, the next operation starts at once`(methods: [String]) {
        let access = stage.record(
            peripheral.exclusively(options: OperationOptions(deadline: .seconds(2))) { [slow] operations in
                methods.isEmpty ? Observable.never() : operations.readValue(for: slow).asObservable()
            })
        let other = stage.record(value.readValue())
        stage.advance(1_990)
        #expect(access.isLive && stage.methods == methods)
        // The simulated peripheral answers the read of the access after 5 s.
        stage.advance(20)
        #expect(access.kind == .timedOut && stage.methods == methods + ["ReadValue"])
        stage.advance(10_000)
        #expect(other.elements == [[1]] && link.isLive)
    }

    @Test(.proves(.S104, .S57)) func `A request that is disposed of does not delay later operations`() {
        let first = stage.record(slow.readValue())
        let access = stage.record(peripheral.exclusively { _ in Observable<Int>.never() })
        let other = stage.record(value.readValue())
        stage.advance(100)
        access.dispose()
        stage.advance(6_000)
        #expect(first.isCompleted && other.elements == [[1]])
        #expect(stage.methods == ["ReadValue", "ReadValue"] && link.isLive)
    }

    @Test(.proves(.S104, .S57)) func `An access that is disposed of without an operation ends at once`() {
        let access = stage.record(peripheral.exclusively { _ in Observable<Int>.never() })
        let waiting = stage.record(peripheral.exclusively { [value] in $0.readValue(for: value) })
        let other = stage.record(value.readValue())
        stage.advance(1_000)
        #expect(stage.methods.isEmpty)
        access.dispose()
        stage.advance(100)
        #expect(waiting.elements == [[1]] && other.elements == [[1]])
        let last = stage.record(value.readValue())
        stage.advance(100)
        #expect(last.elements == [[1]] && link.isLive)
    }

    @Test(.proves(.S104), arguments: [Duration.zero, .seconds(-1)])
    func `A deadline of zero or less begins no exclusive access`(deadline: Duration) {
        let begun = Guarded(false)
        let access = stage.record(
            peripheral.exclusively(options: OperationOptions(deadline: deadline)) { _ in
                begun.withLock { $0 = true }
                return Observable.just(1)
            })
        let read = stage.record(value.readValue())
        stage.advance(1_000)
        #expect(access.kind == .invalidArgument && !begun.withLock { $0 })
        #expect(read.isCompleted && link.isLive)
    }

    @Test(.proves(.S104)) func `The default deadline of an exclusive access is that of the manager`() {
        var deadlines = Deadlines.prompt
        deadlines.exclusiveAccess = .seconds(3)
        let (stage, peripheral) = Stage.withSensor(deadlines: deadlines)
        let link = stage.connect(peripheral)
        let access = stage.record(peripheral.exclusively { _ in Observable<Int>.never() })
        stage.advance(2_900)
        #expect(access.isLive)
        stage.advance(200)
        #expect(access.kind == .timedOut)
        #expect(link.isLive)
        #expect(Deadlines().exclusiveAccess == .seconds(60))
    }

    @Test(.proves(.S104, .S59)) func `Link loss fails an exclusive access and all requests with one cause`() {
        let accesses = (0..<2).map { _ in
            stage.record(peripheral.exclusively { [slow] operations in operations.readValue(for: slow) })
        }
        stage.advance(100)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(100)
        for access in accesses {
            #expect(access.kind == .linkLost(.remote))
            #expect(access.error?.operation == .exclusiveAccess)
            #expect(access.times.count == 1)
        }
        #expect(link.kind == .linkLost(.remote))
        let late = stage.record(peripheral.exclusively { [slow] in $0.readValue(for: slow) })
        stage.advance(1)
        #expect(late.kind == .notConnected)
    }

    @Test(.proves(.S104)) func `An error of the closure or of an operation ends the access`() {
        struct Failure: Error {}
        let first = stage.record(
            peripheral.exclusively { _ -> Observable<Int> in throw Failure() })
        let refusing = stage.characteristic(Sensor.refusing, of: peripheral)
        let second = stage.record(
            peripheral.exclusively { operations in
                operations.writeValue([1], for: refusing).andThen(operations.readValue(for: refusing))
            })
        let other = stage.record(value.readValue())
        stage.advance(200)
        #expect(first.events.last?.error is Failure)
        #expect(second.error?.attCode == 0x0E)
        #expect(other.elements == [[1]])
        #expect(stage.methods == ["WriteValue", "ReadValue"])
    }

    @Test(.proves(.S104)) func `After the end of the access its operations fail, and nothing is sent`() {
        let kept = Guarded<ExclusiveOperations?>(nil)
        let access = stage.record(
            peripheral.exclusively { operations in
                kept.withLock { $0 = operations }
                return Observable.just(1)
            })
        stage.advance(10)
        #expect(access.elements == [1] && access.isCompleted)
        guard let operations = kept.withLock({ $0 }) else { return }
        let read = stage.record(operations.readValue(for: value))
        let values = stage.record(operations.observeValueUpdates(for: notifying))
        // A later access does not accept the operations of an earlier one.
        let next = stage.record(peripheral.exclusively { [value] _ in operations.readValue(for: value) })
        stage.advance(100)
        #expect([read.kind, values.kind, next.kind] == [.closed, .closed, .closed])
        #expect(stage.methods.isEmpty)
    }

    @Test(.proves(.S104)) func `Attributes of another peripheral are an argument error`() {
        let other = stage.find("C0:FF:EE:00:00:22")
        let otherLink = stage.connect(other)
        let foreign = stage.characteristic(Sensor.value, of: other)
        stage.simulation.bluez.forgetCalls()
        let access = stage.record(peripheral.exclusively { operations in operations.readValue(for: foreign) })
        stage.advance(100)
        #expect(access.kind == .invalidArgument)
        #expect(stage.methods.isEmpty && otherLink.isLive)
    }

    @Test(.proves(.S104)) func `Descriptors, long writes and notifications run within the access`() {
        let found = stage.record(value.discoverDescriptors())
        stage.advance(0)
        let text = found.elements[0]
        let access = stage.record(
            peripheral.exclusively { [scheduler = stage.scheduler, value, notifying] operations in
                operations.writeValue([0x42], for: text)
                    .andThen(operations.readValue(for: text))
                    .asObservable()
                    .concat(
                        operations.writeLongValue([1, 2, 3], for: value, partLength: 2).takeLast(1)
                            .map { [UInt8($0.written)] }
                    )
                    .concat(
                        operations.observeValueUpdates(for: notifying).take(
                            for: .milliseconds(50), scheduler: scheduler))
            })
        let other = stage.record(value.readValue())
        stage.advance(20_000)
        #expect(access.elements == [[0x42], [3]])
        #expect(access.isCompleted)
        #expect(
            stage.methods == [
                "WriteValue", "ReadValue", "WriteValue", "WriteValue", "StartNotify", "StopNotify", "ReadValue",
            ])
        #expect(other.isCompleted)
    }

    @Test(.proves(.S104)) func `Notifications that are disposed of are turned off after the access of another`() {
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        let access = stage.record(
            peripheral.exclusively { [slow, value] operations in
                operations.readValue(for: slow).asCompletable().andThen(operations.readValue(for: value))
            })
        stage.advance(1_000)
        values.dispose()
        let settled = stage.record(stage.manager.settled())
        stage.advance(1_000)
        #expect(settled.isLive)
        stage.advance(5_000)
        #expect(access.elements == [[1]] && settled.isCompleted)
        #expect(stage.methods == ["StartNotify", "ReadValue", "ReadValue", "StopNotify"])
    }

    @Test(.proves(.S104)) func `An access can use a characteristic whose notifications wait to be turned off`() {
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        let gate = PublishSubject<Int>()
        let access = stage.record(
            peripheral.exclusively { [notifying] operations in
                gate.take(1).flatMap { _ in operations.observeValueUpdates(for: notifying) }
            })
        stage.advance(10)
        values.dispose()
        stage.advance(10)
        gate.onNext(1)
        stage.advance(100)
        #expect(stage.methods == ["StartNotify", "StopNotify", "StartNotify"])
        #expect(access.isLive)
        access.dispose()
        stage.advance(100)
        #expect(stage.methods == ["StartNotify", "StopNotify", "StartNotify", "StopNotify"])
        stage.expectSettled()
    }

    @Test(.proves(.S104)) func `Subscribers outside the access keep notifications that the access requested`() {
        let gate = PublishSubject<Int>()
        let access = stage.record(
            peripheral.exclusively { [slow, notifying] operations in
                Observable.merge(
                    operations.readValue(for: slow).asObservable(),
                    operations.observeValueUpdates(for: notifying).take(until: gate))
            })
        stage.advance(100)
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        access.dispose()
        stage.advance(10_000)
        #expect(stage.methods == ["ReadValue", "StartNotify"])
        #expect(values.isLive)
    }

    @Test(.proves(.S104, .S56)) func `Requests wait by priority, and operations of an access have priorities`() {
        let first = stage.record(slow.readValue())
        let read = stage.record(notifying.readValue())
        let access = stage.record(
            peripheral.exclusively(options: Self.high) { [slow, value, notifying] operations in
                Observable.merge(
                    operations.readValue(for: slow).asObservable(),
                    operations.readValue(for: value).asObservable(),
                    operations.readValue(for: notifying, options: Self.high).asObservable())
            })
        stage.advance(20_000)
        #expect(access.elements == [[5], [7], [1]])
        #expect(first.times[0] < access.times[0] && access.times[3] < read.times[0])
    }

    @Test(.proves(.S104)) func `Events report the wait, the start and the end of an exclusive access`() {
        let first = stage.record(slow.readValue())
        stage.advance(10)
        let events = stage.record(stage.manager.events)
        let access = stage.record(peripheral.exclusively { [value] in $0.readValue(for: value) })
        stage.advance(6_000)
        #expect(first.isCompleted && access.isCompleted)
        let texts = events.elements.compactMap { event -> String? in
            switch event.kind {
            case .operationQueued(let operation, _): "\(operation.operation) queued"
            case .operationStarted(let operation, _): "\(operation.operation) started"
            case .operationEnded(let operation, _, let error): "\(operation.operation) ended \(error == nil)"
            default: nil
            }
        }
        #expect(
            texts == [
                "exclusiveAccess queued", "read ended true", "exclusiveAccess started", "read queued", "read started",
                "read ended true", "exclusiveAccess ended true",
            ])
    }
}

/// The results of the operations of an exclusive access.
private final class Results: Sendable {
    private let all = Guarded<[String]>([])

    var texts: [String] { all.withLock { $0 } }

    func add(_ text: String) { all.withLock { $0.append(text) } }
}

extension Observable where Element: Sendable {
    /// Records the events of the stream.
    fileprivate func record(_ results: Results) -> Observable<Element> {
        self.do(onNext: { results.add("\($0)") }, onError: { results.add("\($0)") })
    }
}
