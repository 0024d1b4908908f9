import DBus

/// A period in which the queue of a connection starts only the operations of one owner.
///
/// The period begins when the request is the first in the queue and no operation runs. It ends when the owner releases
/// it, at its deadline, or with the link.
final class ExclusiveAccess: QueueEntry {
    /// The identity of an exclusive access, which its operations carry through other threads.
    final class Token: Sendable {}

    let token: Token
    /// The operations of the owner that wait.
    var waiting = OperationOrder<GATTOperation>()
    var timer: BusTask?
    private let emitter: Emitter<Void>

    init(
        _ token: Token, _ options: OperationOptions, _ target: String, deadline: Duration, emitter: Emitter<Void>
    ) {
        self.token = token
        self.emitter = emitter
        super.init(
            .exclusiveAccess, target, deadline: options.deadline ?? deadline, priority: options.priority)
    }

    func granted() { emitter.next(()) }

    override func fail(_ error: BluetoothError) { emitter.fail(error.during(operation, target)) }

    /// The error of the owner's operations that wait, or are submitted, after the end of the access.
    static let over = BluetoothError(.closed, detail: "The exclusive access has ended")
}

extension Links {
    /// Requests exclusive access to a peripheral's connection. The emitter emits when the access begins.
    func requestAccess(
        to peripheral: Peripheral, _ token: ExclusiveAccess.Token, _ options: OperationOptions, deadline: Duration,
        _ emitter: Emitter<Void>
    ) {
        let target = peripheral.address.description
        emitter.attempt(.exclusiveAccess, target) { () throws(BluetoothError) in
            try options.check()
            let link = try live(peripheral.key)
            let access = ExclusiveAccess(token, options, target, deadline: deadline, emitter: emitter)
            emitter.onEnd { [weak link] in link?.queue.release(access) }
            link.queue.submit(access)
        }
    }
}
