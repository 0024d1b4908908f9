import CMosquitto
import Dispatch
import Glibc
import Rx

/// Watches the socket of a `MosquittoClient`, and turns its reports into events.
final class MosquittoConnection {
    /// The broker has to accept the connection within this time, which includes the handshake of TLS.
    private static let acceptTimeout: Duration = .seconds(20)

    var handler: ((BrokerEvent) -> Void)?

    private let mosquitto: MosquittoClient
    private let loop: GatewayLoop
    private let descriptor: Int32
    private let readSource: any DispatchSourceRead
    private let writeSource: any DispatchSourceWrite
    private let acceptTimer = SerialDisposable()
    private let keepAliveTimer = SerialDisposable()
    private let disconnectTimer = SerialDisposable()
    private var isWriting = false
    private var isAccepted = false
    private var isClosed = false
    private var isDeliveryScheduled = false
    private var tokens: [Int32: UInt64] = [:]
    private var failed: [(token: UInt64, cause: String)] = []

    /// nil if the process has no free descriptor.
    init?(_ mosquitto: MosquittoClient, loop: GatewayLoop, queue: DispatchQueue) {
        // libmosquitto closes its descriptor at any time; a watched one must stay open until the sources end.
        let descriptor = dup(mosquitto.socket)
        guard descriptor >= 0 else { return nil }
        self.mosquitto = mosquitto
        self.loop = loop
        self.descriptor = descriptor
        readSource = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        writeSource = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    }

    deinit { if !isClosed { cancelSources() } }

    func start() {
        let bound = loop.bound(WeakReference(self))
        readSource.setEventHandler { bound.value.object?.read() }
        writeSource.setEventHandler { bound.value.object?.write() }
        let sources = DispatchGroup()
        let descriptor = descriptor
        for source in [readSource, writeSource] as [any DispatchSourceProtocol] {
            sources.enter()
            source.setCancelHandler { sources.leave() }
        }
        sources.notify(queue: .global()) { _ = Glibc.close(descriptor) }
        readSource.resume()
        acceptTimer.disposable = loop.schedule(after: Self.acceptTimeout) { bound.value.object?.checkAccepted() }
        startKeepAliveTimer()
        update(0)
    }

    func subscribe(to filters: [String]) { update(mosquitto.subscribe(to: filters)) }

    func publish(_ publication: Publication, token: UInt64) {
        guard !isClosed else { return }
        let (result, message) = mosquitto.publish(publication)
        switch mosq_err_t(rawValue: result) {
        case MOSQ_ERR_SUCCESS: if publication.qualityOfService > 0 { tokens[message] = token }
        case MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_OVERSIZE_PACKET,
            MOSQ_ERR_QOS_NOT_SUPPORTED, MOSQ_ERR_RETAIN_NOT_SUPPORTED:
            failed.append((token, MosquittoClient.text(of: result)))
            return scheduleDelivery()
        default: break
        }
        update(result)
    }

    func disconnect() {
        guard !isClosed else { return }
        _ = mosquitto.disconnect()
        // libmosquitto reports the end when the packet is written, at the latest when the broker closes.
        let bound = loop.bound(WeakReference(self))
        disconnectTimer.disposable = loop.schedule(after: .seconds(1)) { bound.value.object?.close(0) }
        update(0)
    }

    private func read() {
        guard !isClosed else { return }
        // During a handshake libmosquitto does not notice the end of the connection, and would not clear the event.
        if !isAccepted, isEnded { return finish(mosquitto.read(), fallback: MOSQ_ERR_CONN_LOST.code) }
        update(mosquitto.read(), isInCall: false)
    }

    private func write() {
        guard !isClosed else { return }
        update(mosquitto.write(), isInCall: false)
    }

    private var isEnded: Bool {
        var byte: UInt8 = 0
        let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
    }

    private func finish(_ result: Int32, fallback: Int32) {
        deliver()
        close(result == 0 ? fallback : result)
    }

    private func checkAccepted() { if !isAccepted { close(MOSQ_ERR_TIMEOUT.code) } }

    private func startKeepAliveTimer() {
        let bound = loop.bound(WeakReference(self))
        let interval = max(.seconds(5), mosquitto.settings.keepAlive) / 3
        keepAliveTimer.disposable = loop.schedule(after: interval) {
            guard let self = bound.value.object, !self.isClosed else { return }
            self.update(self.mosquitto.keepAlive(), isInCall: false)
            self.startKeepAliveTimer()
        }
    }

    /// After each call of libmosquitto: delivers its reports, and watches for writing if it has more to write.
    private func update(_ result: Int32, isInCall: Bool = true) {
        guard !isClosed else { return }
        if result != 0, result != MOSQ_ERR_NO_CONN.code || mosquitto.socket < 0 { pendingClose = result }
        if !isInCall {
            deliver()
        } else if mosquitto.hasReports || pendingClose != nil {
            scheduleDelivery()
        }
        guard !isClosed, mosquitto.wantsToWrite != isWriting else { return }
        isWriting.toggle()
        if isWriting { writeSource.resume() } else { writeSource.suspend() }
    }

    /// The result of a call that ended the connection without a report.
    private var pendingClose: Int32?

    private func scheduleDelivery() {
        guard !isDeliveryScheduled else { return }
        isDeliveryScheduled = true
        let bound = loop.bound(self)
        loop.perform {
            bound.value.isDeliveryScheduled = false
            bound.value.deliver()
        }
    }

    private func deliver() {
        guard !isClosed else { return }
        let reports = mosquitto.takeReports()
        let failed = self.failed
        self.failed = []
        for (token, cause) in failed { handler?(.rejected(token, cause)) }
        for report in reports where !isClosed { deliver(report) }
        if let pendingClose, !isClosed { close(pendingClose) }
    }

    private func deliver(_ report: MosquittoClient.Report) {
        switch report {
        case .connected(0, let isSessionPresent):
            isAccepted = true
            acceptTimer.dispose()
            handler?(.connected(isSessionPresent: isSessionPresent))
        case .connected(let code, _): end(failure.refused(code: code))
        case .closed(let code): close(code)
        case .acknowledged(let message, let reason):
            guard let token = tokens.removeValue(forKey: message) else { return }
            guard reason >= 0x80 else { return handler?(.acknowledged(token)) ?? () }
            handler?(.rejected(token, MosquittoClient.text(ofReason: reason)))
        case .subscriptionRefused(let filter, let reason):
            handler?(.subscriptionRefused(filter: filter, cause: MosquittoClient.text(ofReason: reason)))
        case .received(let message): handler?(.received(message))
        }
    }

    private var failure: MosquittoFailure {
        MosquittoFailure(
            settings: mosquitto.settings, errors: mosquitto.errors, certificateProblem: mosquitto.certificateProblem)
    }

    private func close(_ code: Int32) {
        guard !isClosed else { return }
        end(failure.closed(code: code, isEstablished: isAccepted))
    }

    private func cancelSources() {
        for timer in [acceptTimer, keepAliveTimer, disconnectTimer] { timer.dispose() }
        // A suspended source does not end.
        if !isWriting { writeSource.resume() }
        readSource.cancel()
        writeSource.cancel()
    }

    private func end(_ failure: BrokerFailure) {
        guard !isClosed else { return }
        isClosed = true
        cancelSources()
        handler?(.closed(failure))
        handler = nil
    }
}

extension mosq_err_t {
    fileprivate var code: Int32 { Int32(rawValue) }
}
