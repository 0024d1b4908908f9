/// A subscriber to the values of a characteristic, and the transport that it accepts.
final class NotifySubscriber: StreamObserver {
    let emitter: Emitter<[UInt8]>
    let transport: NotificationTransport
    let request: QueueRequest

    init(_ emitter: Emitter<[UInt8]>, _ transport: NotificationTransport, _ request: QueueRequest) {
        self.emitter = emitter
        self.transport = transport
        self.request = request
    }

    func fail(_ error: BluetoothError) { emitter.fail(error) }

    func onEnd(_ undo: @escaping () -> Void) { emitter.onEnd(undo) }
}
