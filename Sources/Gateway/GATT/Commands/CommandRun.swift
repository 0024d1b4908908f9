import Rx
import RxBluetooth

/// Executes the steps of one command on one link, without operations of others in between. It belongs to the loop.
final class CommandRun {
    private static let maximumBusyCount = 5

    typealias Outcome = (values: [CommandResult.Value], failure: CommandFailure?)

    let command: GATTCommand
    private let peripheral: Peripheral
    private let loop: GatewayLoop
    private let end: Duration
    private var completion: ((Outcome) -> Void)?
    private var attributes: [GATTCommand.Attribute: AttributeAccess] = [:]
    private var operations: ExclusiveOperations?
    /// The values that arrived since the last write began, for steps that wait.
    private var received: [GATTCommand.Attribute: [[UInt8]]] = [:]
    private var values: [CommandResult.Value] = []
    private var step = 0
    private var isWaiting = false
    private var busyCount = 0
    private let subscriptions = CompositeDisposable()
    private let current = SerialDisposable()

    /// Creates a run that ends before `end`, by a deadline of the caller.
    init(
        _ command: GATTCommand, on peripheral: Peripheral, until end: Duration, loop: GatewayLoop,
        completion: @escaping (Outcome) -> Void
    ) {
        self.command = command
        self.peripheral = peripheral
        self.loop = loop
        self.end = end
        self.completion = completion
    }

    func start() { findAttribute(0) }

    /// Stops the steps, with a failure of the caller.
    func fail(_ kind: String, _ text: String) {
        guard completion != nil, step < command.steps.count else { return }
        let isWrite = if case .write = command.steps[step] { operations != nil } else { false }
        finish(CommandFailure(kind: kind, text: text, step: step, isOutcomeUnknown: isWrite))
    }

    private var options: OperationOptions {
        OperationOptions(deadline: max(.milliseconds(1), end - loop.monotonicTime + .seconds(1)), priority: .high)
    }

    private func bound() -> LoopBound<WeakReference<CommandRun>> { loop.bound(WeakReference(self)) }

    private func finish(_ failure: CommandFailure?) {
        guard let completion else { return }
        self.completion = nil
        current.dispose()
        subscriptions.dispose()
        completion((values, failure))
    }

    /// Handles the failure of a read or a write. A busy bluetoothd did not execute it, so it is repeated.
    private func operationFailed(_ error: any Error) {
        guard (error as? BluetoothError)?.kind == .busy, busyCount < Self.maximumBusyCount else {
            return finish(error, at: step)
        }
        busyCount += 1
        let run = bound()
        current.disposable = loop.schedule(after: .milliseconds(500)) { run.value.object?.perform() }
    }

    private func finish(_ error: any Error, at step: Int) {
        let error = BluetoothError.of(error)
        finish(
            CommandFailure(
                kind: error.code, text: error.description, step: step, isOutcomeUnknown: error.outcomeUnknown,
                isLinkEnd: error.isLinkEnd))
    }

    /// Finds the characteristics of all steps before the first operation, so that a wrong step writes nothing.
    private func findAttribute(_ index: Int) {
        guard index < command.steps.count else { return begin() }
        let attribute = command.steps[index].attribute
        guard attributes[attribute] == nil else { return findAttribute(index + 1) }
        let run = bound()
        current.disposable = AttributeAccess.find(attribute, of: peripheral).take(1).subscribe { event in
            guard let run = run.value.object else { return }
            switch event {
            case .next(let access): run.attributes[attribute] = access
            case .error(let error): run.finish(error, at: index)
            case .completed: run.findAttribute(index + 1)
            }
        }
    }

    private func begin() {
        let run = bound()
        let access = peripheral.exclusively(options: options) { operations in
            Observable.just(operations).concat(Observable<ExclusiveOperations>.never())
        }
        _ = subscriptions.insert(
            access.subscribe { event in
                guard let run = run.value.object else { return }
                switch event {
                case .next(let operations):
                    run.operations = operations
                    run.observeAwaited(operations)
                    run.perform()
                case .error(let error): run.finish(error, at: run.step)
                case .completed: break
                }
            })
    }

    /// Turns on the notifications that steps wait for. The operations of a link run in order, so before the first step.
    private func observeAwaited(_ operations: ExclusiveOperations) {
        for (index, step) in command.steps.enumerated() {
            guard case .wait(let attribute, _) = step, received[attribute] == nil,
                let access = attributes[attribute]
            else { continue }
            received[attribute] = []
            let run = bound()
            _ = subscriptions.insert(
                access.observe(operations, options).subscribe { event in
                    guard let run = run.value.object else { return }
                    switch event {
                    case .next(let bytes): run.receive(bytes, from: attribute)
                    case .error(let error): run.finish(error, at: max(index, run.step))
                    case .completed: break
                    }
                })
        }
    }

    private func receive(_ bytes: [UInt8], from attribute: GATTCommand.Attribute) {
        // A device can send any number of values.
        guard received[attribute, default: []].count < GATTCommand.maximumSteps else { return }
        received[attribute, default: []].append(bytes)
        if isWaiting { perform() }
    }

    /// Performs the current step.
    private func perform() {
        guard completion != nil, let operations else { return }
        guard step < command.steps.count else { return finish(nil) }
        guard let access = attributes[command.steps[step].attribute] else { return }
        let run = bound()
        switch command.steps[step] {
        case .read:
            current.disposable = access.read(operations, options).asObservable().subscribe { event in
                run.value.object?.handle(event)
            }
        case .write(_, let bytes, let withResponse):
            for attribute in received.keys { received[attribute] = [] }
            current.disposable = access.write(bytes, withResponse: withResponse, operations, options).asObservable()
                .subscribe { event in
                    guard let run = run.value.object else { return }
                    switch event {
                    case .next: break
                    case .error(let error): run.operationFailed(error)
                    case .completed: run.advance()
                    }
                }
        case .wait(let attribute, let within): wait(for: attribute, within: within)
        }
    }

    private func handle(_ event: Event<[UInt8]>) {
        switch event {
        case .next(let bytes): append(bytes)
        case .error(let error): operationFailed(error)
        case .completed: advance()
        }
    }

    private func wait(for attribute: GATTCommand.Attribute, within: Duration) {
        if let first = received[attribute]?.first {
            received[attribute]?.removeFirst()
            append(first)
            return advance()
        }
        guard !isWaiting else { return }
        isWaiting = true
        let run = bound()
        current.disposable = loop.schedule(after: within) {
            guard let run = run.value.object else { return }
            let text = "\(attribute.uuid) of \(run.peripheral.address) sent no value in time"
            run.finish(CommandFailure(kind: "timed-out", text: text, step: run.step))
        }
    }

    private func append(_ bytes: [UInt8]) {
        values.append(CommandResult.Value(step: step, attribute: command.steps[step].attribute, bytes: bytes))
    }

    private func advance() {
        isWaiting = false
        step += 1
        perform()
    }
}
