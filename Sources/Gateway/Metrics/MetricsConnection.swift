import Dispatch
import Glibc
import Rx

/// One connection of a client of the metrics: reads a request, writes the response, and closes.
final class MetricsConnection {
    private let descriptor: Int32
    private let loop: GatewayLoop
    private let queue: DispatchQueue
    private let respond: (HTTPRequestHead.Outcome) -> HTTPResponse?
    private let onClose: () -> Void
    private var head = HTTPRequestHead()
    private var unsent: ArraySlice<UInt8> = []
    private var reading: (any DispatchSourceRead)?
    private var writing: (any DispatchSourceWrite)?
    private var deadline: (any Disposable)?
    private var isClosed = false

    init(
        _ descriptor: Int32, loop: GatewayLoop, queue: DispatchQueue,
        respond: @escaping (HTTPRequestHead.Outcome) -> HTTPResponse?, onClose: @escaping () -> Void
    ) {
        self.descriptor = descriptor
        self.loop = loop
        self.queue = queue
        self.respond = respond
        self.onClose = onClose
    }

    func start(deadline limit: Duration) {
        let connection = loop.bound(self)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { connection.value.read() }
        let descriptor = descriptor
        // The descriptor is closed when neither source uses it any more.
        source.setCancelHandler { Glibc.close(descriptor) }
        reading = source
        deadline = loop.schedule(after: limit) { connection.value.close() }
        source.activate()
    }

    /// Closes the connection, whatever was sent. May be called more than once.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        deadline?.dispose()
        if let writing {
            let reading = loop.bound(reading)
            // A suspended source is not cancelled before it is resumed.
            writing.setCancelHandler {
                reading.value?.resume()
                reading.value?.cancel()
            }
            writing.cancel()
        } else {
            reading?.cancel()
        }
        (reading, writing) = (nil, nil)
        onClose()
    }

    private func read() {
        guard !isClosed else { return }
        switch LoopbackSocket.read(descriptor) {
        case .none: return
        case .failed: return close()
        case .bytes(let bytes):
            guard let response = respond(head.read(bytes[...])) else { return }
            // The client may end its side now, which would wake the source up again and again.
            reading?.suspend()
            send(response.bytes)
        }
    }

    private func send(_ bytes: [UInt8]) {
        unsent = bytes[...]
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        let connection = loop.bound(self)
        source.setEventHandler { connection.value.write() }
        writing = source
        source.activate()
    }

    private func write() {
        guard !isClosed else { return }
        guard let count = LoopbackSocket.write(unsent, to: descriptor) else { return close() }
        unsent = unsent.dropFirst(count)
        if unsent.isEmpty { close() }
    }
}
