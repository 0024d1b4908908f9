import Dispatch
import Glibc
import Rx

/// Executes the actions of an `MQTTSession` on a socket, with TLS if there is a filter.
final class BrokerConnection {
    /// After this many reads of 16 KiB, other work of the gateway has its turn.
    private static let maximumReads = 4
    /// How long an orderly end waits for the broker.
    private static let closeTimeout: Duration = .seconds(1)

    var handler: ((BrokerEvent) -> Void)?

    private let failure: BrokerConnectionFailure
    private var session: MQTTSession
    private let socket: StreamSocket
    private let tls: TLSFilter?
    private let loop: GatewayLoop
    private let readSource: any DispatchSourceRead
    private let writeSource: any DispatchSourceWrite
    private let timer = SerialDisposable()
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)
    private var output = OutputBuffer()
    private var isReading = false
    private var isWriting = false
    private var isTurnScheduled = false
    private var isClosed = false
    private var events: [BrokerEvent] = []
    private var ending: MQTTSession.Ending?
    /// What this connection has found out about messages that close it.
    private(set) var suspects: ClosingSuspects

    init(
        _ client: BrokerClient, socket: StreamSocket, tls: TLSFilter?, suspects: ClosingSuspects, loop: GatewayLoop,
        queue: DispatchQueue
    ) {
        failure = BrokerConnectionFailure(settings: client.settings)
        session = MQTTSession(client, suspects: suspects, at: loop.monotonicTime)
        self.socket = socket
        self.tls = tls
        self.suspects = suspects
        self.loop = loop
        readSource = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        writeSource = DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: queue)
    }

    deinit { if !isClosed { cancelSources() } }

    /// The identifier that the broker has chosen, because the gateway had none.
    var assignedIdentifier: String? { session.assignedIdentifier }
    /// Whether the broker has accepted the connection, and keeps retained messages.
    var keepsRetained: Bool { session.keepsRetained }
    /// Whether the broker has refused the connection because its last will is a retained message.
    var isWillRefused: Bool { ending == .refused(.retainNotSupported) }

    func start() {
        let bound = loop.bound(WeakReference(self))
        readSource.setEventHandler { bound.value.object?.read() }
        writeSource.setEventHandler { bound.value.object?.turn() }
        // The descriptor must stay open until both sources have ended.
        let socket = socket
        for source in [readSource, writeSource] as [any DispatchSourceProtocol] {
            source.setCancelHandler { _ = socket }
        }
        do throws(TLSFilter.Problem) {
            try tls?.start()
        } catch { return close(failure.failed(error, isAccepted: false)) }
        collectTLSOutput()
        perform(session.open())
        turn()
    }

    func subscribe(to filters: [String]) { call { $0.subscribe(to: filters, at: $1) } }
    func unsubscribe(from filters: [String]) { call { $0.unsubscribe(from: filters, at: $1) } }

    func publish(_ publication: Publication, token: UInt64) {
        call { $0.publish(publication, token: token, at: $1) }
    }

    func disconnect() { call { session, _ in session.disconnect() } }

    /// Executes what a caller wants. Events follow later, never within the call.
    private func call(_ body: (inout MQTTSession, Duration) -> [MQTTSession.Action]) {
        guard !isClosed else { return }
        perform(body(&session, loop.monotonicTime))
        guard !isTurnScheduled else { return }
        isTurnScheduled = true
        let bound = loop.bound(WeakReference(self))
        loop.perform {
            guard let connection = bound.value.object else { return }
            connection.isTurnScheduled = false
            connection.turn()
        }
    }

    private func perform(_ actions: [MQTTSession.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): append(bytes)
            case .emit(let event): events.append(event)
            case .startTimer(let delay): startTimer(delay)
            case .end(let ending):
                self.ending = ending
                if ending == .requested {
                    tls?.end()
                    collectTLSOutput()
                    startTimer(Self.closeTimeout)
                }
            }
        }
    }

    private func startTimer(_ delay: Duration) {
        let bound = loop.bound(WeakReference(self))
        timer.disposable = loop.schedule(after: delay) { bound.value.object?.timerFired() }
    }

    private func timerFired() {
        guard !isClosed else { return }
        if let ending { return close(failure.ended(ending)) }
        perform(session.timerFired(at: loop.monotonicTime))
        turn()
    }

    /// Delivers events, writes, and ends the connection if it has to end.
    private func turn() {
        guard !isClosed else { return }
        let events = self.events
        self.events = []
        for event in events where !isClosed { handler?(event) }
        guard !isClosed else { return }
        flush()
        watch()
        guard let ending else { return }
        guard ending == .requested else { return close(failure.ended(ending), isByBroker: ending.isByBroker) }
        // The broker answers an orderly end by closing.
        if output.isEmpty { socket.endWriting() }
    }

    private func close(_ failure: BrokerFailure, isByBroker: Bool = false) {
        guard !isClosed else { return }
        isClosed = true
        suspects = session.findings(isByBroker: isByBroker, at: loop.monotonicTime)
        cancelSources()
        handler?(.closed(failure))
        handler = nil
    }
}

// The socket.
extension BrokerConnection {
    private func read() {
        for _ in 0..<Self.maximumReads where !isClosed && isReading {
            switch socket.read(into: &buffer) {
            case .bytes(let count): receive(buffer[..<count])
            case .none: return
            case .ended: return end(code: nil)
            case .failed(let code): return end(code: code)
            }
        }
    }

    /// The broker has closed the connection.
    private func end(code: Int32?) {
        if let ending { return close(failure.ended(ending), isByBroker: ending.isByBroker) }
        close(failure.lost(code: code, isAccepted: session.isAccepted), isByBroker: true)
    }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        // After the end, only the broker's own end is of interest.
        guard ending == nil else { return }
        guard let tls else {
            perform(session.receive(bytes, at: loop.monotonicTime))
            return turn()
        }
        let (plain, problem) = tls.receive(bytes)
        collectTLSOutput()
        perform(session.receive(plain[...], at: loop.monotonicTime))
        turn()
        if let problem { fail(problem) }
    }

    private func fail(_ problem: TLSFilter.Problem) {
        // The broker learns the reason by an alert.
        collectTLSOutput()
        flush()
        close(failure.failed(problem, isAccepted: session.isAccepted))
    }

    private func append(_ bytes: [UInt8]) {
        guard let tls else { return output.append(bytes) }
        do throws(TLSFilter.Problem) { try tls.send(bytes) } catch { return }
        collectTLSOutput()
    }

    private func collectTLSOutput() { if let tls { output.append(tls.takeOutput()) } }

    /// Writes, and continues with messages for which there was no room.
    private func flush() {
        while write() {
            let actions = session.setRoom(output.room, at: loop.monotonicTime)
            guard !actions.isEmpty else { return }
            perform(actions)
        }
    }

    /// Writes what the socket accepts. Returns false if the connection has ended.
    private func write() -> Bool {
        while !output.isEmpty {
            switch socket.write(output.waiting) {
            case .bytes(0): return true
            case .bytes(let count): output.removeFirst(count)
            // What the broker sent before it closed, for example its reason, is read before the end is reported.
            case .failed:
                output.removeAll()
                return false
            }
        }
        return true
    }

    /// Watches for what the state needs: for writing while something waits, for reading unless too much waits.
    private func watch() {
        if output.isEmpty == isWriting {
            isWriting.toggle()
            if isWriting { writeSource.resume() } else { writeSource.suspend() }
        }
        if (output.count <= OutputBuffer.readingLimit) != isReading {
            isReading.toggle()
            if isReading { readSource.resume() } else { readSource.suspend() }
        }
    }

    private func cancelSources() {
        timer.dispose()
        // A suspended source does not end.
        if !isWriting { writeSource.resume() }
        if !isReading { readSource.resume() }
        readSource.cancel()
        writeSource.cancel()
    }
}
