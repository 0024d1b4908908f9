/// The streams that observe a link and fail when it ends.
final class LinkStreams {
    private let streams = ObserverList<LinkStream>()

    private final class LinkStream: StreamObserver {
        private let failWith: (BluetoothError) -> Void
        private let setUndo: (@escaping () -> Void) -> Void
        /// Why the link has ended; nil before that.
        private(set) var cause: BluetoothError?

        init<Element>(_ emitter: Emitter<Element>, _ operation: BluetoothError.Operation, _ target: String) {
            failWith = { emitter.fail($0.during(operation, target)) }
            setUndo = emitter.onEnd
        }

        func fail(_ error: BluetoothError) {
            cause = error
            failWith(error)
        }

        func onEnd(_ undo: @escaping () -> Void) { setUndo(undo) }
    }

    /// Adds a stream, and removes it when the stream or the link ends.
    ///
    /// - Parameter undo: Runs at the end of the stream. Its argument is the cause if the link has ended; nil otherwise.
    func add<Element>(
        _ emitter: Emitter<Element>, during operation: BluetoothError.Operation, _ target: String,
        undo: @escaping (BluetoothError?) -> Void
    ) {
        let stream = LinkStream(emitter, operation, target)
        streams.add(stream) { [weak stream] in undo(stream?.cause) }
    }

    func fail(_ cause: BluetoothError) { streams.fail(cause) }
}
