/// One connection to a broker as a state machine: from the request to connect to its end.
///
/// `BrokerConnection` executes the actions. The bytes of the broker are hostile; the memory is bounded by
/// ``PacketFramer``, ``SendWindow`` and the number of subscriptions.
struct MQTTSession {
    enum Action {
        case send([UInt8])
        case emit(BrokerEvent)
        /// Replaces the running timer.
        case startTimer(after: Duration)
        /// The last action.
        case end(Ending)
    }

    /// Why the gateway ends the connection.
    enum Ending: Equatable {
        case requested
        /// The broker did not answer the request to connect in time.
        case notAnswered
        /// The broker refused the connection; codes below 0x80 are those of MQTT 3.1.1.
        case refused(MQTTReason)
        /// The broker accepts only messages without confirmation.
        case withoutConfirmation
        /// The first packet is not MQTT's answer.
        case notMQTT(firstByte: UInt8)
        case violated(MQTTViolation)
        /// The broker did not answer within the keep-alive interval.
        case silent
        /// The broker of MQTT 5 announced the end.
        case announced(MQTTReason)
    }

    private enum Phase { case connecting, connected, ended }

    /// The broker has to accept the connection within this time, which includes the handshake of TLS.
    static let acceptTimeout: Duration = .seconds(20)
    /// Requests about subscriptions that wait for an answer; further ones follow.
    private static let maximumRequests = 100

    /// A request to begin or to end a subscription.
    private struct SubscriptionRequest {
        let filter: String
        let isEnd: Bool
    }

    private let client: BrokerClient
    private let openedAt: Duration
    private var phase = Phase.connecting
    private var framer = PacketFramer()
    private var window = SendWindow()
    /// The bytes of messages that the connection accepts now.
    private var room = Int.max
    private var keepAlive: KeepAlive
    private var barrier = ResumeBarrier()
    private var pause: ProcessPause
    /// How long the process did not run while it waited for the connection to be accepted, or since then.
    private var pauseLength: Duration = .zero
    /// Finds the end of what waited in the socket while the process did not run.
    private var pauseBarrier = ResumeBarrier()
    private let suspendedTime: @Sendable () -> Duration
    private var answer: ConnectionAnswer?
    private var sentRequests: [UInt16: SubscriptionRequest] = [:]
    private var waitingRequests: [SubscriptionRequest] = []
    private var suspects: ClosingSuspects

    /// - Parameters:
    ///   - suspects: What earlier connections have found.
    ///   - suspendedTime: Returns for how long the computer was suspended so far.
    init(
        _ client: BrokerClient, suspects: ClosingSuspects, at now: Duration,
        suspendedTime: @escaping @Sendable () -> Duration = { SuspendedTime.now }
    ) {
        self.client = client
        self.suspects = suspects
        openedAt = now
        self.suspendedTime = suspendedTime
        var pause = ProcessPause(at: now, suspended: suspendedTime())
        pause.planned(at: now + Self.acceptTimeout)
        self.pause = pause
        keepAlive = KeepAlive(max(.seconds(1), client.settings.keepAlive), at: now)
    }

    var isAccepted: Bool { answer != nil }
    /// Whether the broker has accepted the connection, and keeps retained messages.
    var keepsRetained: Bool { answer?.isRetainAvailable ?? false }
    /// The bytes of an incomplete packet.
    var bufferedCount: Int { framer.bufferedCount }
    /// The identifier that the broker has chosen, because the gateway had none.
    var assignedIdentifier: String? { answer?.assignedIdentifier }
    private var version: BrokerSettings.Version { client.settings.version }

    /// The first packet.
    func open() -> [Action] { [.send(OutgoingPacket.connect(client)), .startTimer(after: Self.acceptTimeout)] }

    /// Returns what this connection has found out about messages that close it.
    ///
    /// - Parameter isByBroker: Whether the broker has closed it.
    func findings(isByBroker: Bool, at now: Duration) -> ClosingSuspects {
        var result = suspects
        if isByBroker { result.closed(window.unconfirmed, at: now) }
        return result
    }

    /// Subscribes. The broker answers each filter.
    mutating func subscribe(to filters: [String], at now: Duration) -> [Action] {
        request(filters.map { SubscriptionRequest(filter: $0, isEnd: false) }, now)
    }

    /// Ends subscriptions. The broker answers each filter.
    mutating func unsubscribe(from filters: [String], at now: Duration) -> [Action] {
        request(filters.map { SubscriptionRequest(filter: $0, isEnd: true) }, now)
    }

    private mutating func request(_ requests: [SubscriptionRequest], _ now: Duration) -> [Action] {
        guard phase == .connected else { return [] }
        waitingRequests += requests
        return continued(at: now) + sendRequests(now)
    }

    private mutating func sendRequests(_ now: Duration) -> [Action] {
        let count = min(waitingRequests.count, Self.maximumRequests - sentRequests.count)
        guard count > 0 else { return [] }
        var actions: [Action] = []
        for request in waitingRequests.prefix(count) {
            let identifier = window.reserveIdentifier()
            sentRequests[identifier] = request
            let packet =
                request.isEnd
                ? OutgoingPacket.unsubscribe(from: request.filter, identifier: identifier, version)
                : OutgoingPacket.subscribe(to: request.filter, identifier: identifier, version)
            actions.append(.send(packet))
        }
        waitingRequests.removeFirst(count)
        keepAlive.sent(at: now)
        return actions
    }

    mutating func publish(_ publication: Publication, token: UInt64, at now: Duration) -> [Action] {
        guard phase == .connected else { return [] }
        return continued(at: now) + send(publication, token: token, at: now)
    }

    private mutating func send(_ publication: Publication, token: UInt64, at now: Duration) -> [Action] {
        if let refusal = refusal(of: publication, now) { return [.emit(.rejected(token, refusal))] }
        var publication = publication
        publication.qualityOfService = min(1, publication.qualityOfService)
        if answer?.isRetainAvailable == false { publication.isRetained = false }
        guard window.add(publication, token: token) else {
            return [
                .emit(.rejected(token, Self.refusal(.temporary, publication, "too many messages wait for the broker")))
            ]
        }
        return sendMessages(now)
    }

    /// Sets how many bytes of messages the connection accepts, and sends those that waited for it.
    mutating func setRoom(_ room: Int, at now: Duration) -> [Action] {
        self.room = room
        return phase == .connected ? sendMessages(now) : []
    }

    private func refusal(of publication: Publication, _ now: Duration) -> BrokerRefusal? {
        let topic = publication.topic
        guard !topic.isEmpty, topic.utf8.count <= Int(UInt16.max), !topic.utf8.contains(where: Self.isForbidden) else {
            return Self.refusal(.invalid, publication, "the topic is not valid")
        }
        let size = OutgoingPacket.size(of: publication, version)
        if let limit = answer?.maximumPacketSize, size > limit {
            let cause = "the packet of \(size) bytes exceeds the broker's limit of \(limit)"
            return Self.refusal(.tooLarge(limit: limit), publication, cause)
        }
        guard size <= Self.maximumPacket else {
            let cause = "MQTT has no packets of \(size) bytes"
            return Self.refusal(.tooLarge(limit: Self.maximumPacket), publication, cause)
        }
        return suspects.refusal(of: publication, at: now)
    }

    /// Whether a topic must not contain a character.
    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte == 0 || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "#")
    }

    /// The longest packet of MQTT.
    private static let maximumPacket = 268_435_455

    private static func refusal(
        _ kind: BrokerRefusal.Kind, _ publication: Publication, _ cause: String
    ) -> BrokerRefusal {
        BrokerRefusal(kind, topic: publication.topic, size: publication.size, cause: cause)
    }

    private mutating func sendMessages(_ now: Duration) -> [Action] {
        var actions: [Action] = []
        // A message that is larger than the room is sent, so that it does not block the others.
        while room > 0, let (publication, identifier) = window.next() {
            let packet = OutgoingPacket.publish(publication, identifier: identifier, version)
            room -= packet.count
            actions.append(.send(packet))
        }
        if !actions.isEmpty { keepAlive.sent(at: now) }
        return actions
    }

    mutating func disconnect() -> [Action] {
        guard phase != .ended else { return [] }
        let packet: [Action] = phase == .connected ? [.send(OutgoingPacket.disconnect(0, version))] : []
        return packet + [end(.requested)]
    }

    private mutating func end(_ ending: Ending) -> Action {
        phase = .ended
        return .end(ending)
    }

    mutating func timerFired(at now: Duration) -> [Action] {
        let actions = checkTimer(at: now)
        for case .startTimer(let delay) in actions { pause.planned(at: now + delay) }
        return actions
    }

    private mutating func checkTimer(at now: Duration) -> [Action] {
        switch phase {
        case .ended: return []
        case .connecting:
            let remaining = openedAt + Self.acceptTimeout - now
            return remaining > .zero ? [.startTimer(after: remaining)] : [end(.notAnswered)]
        case .connected:
            guard keepAlive.check(at: now, isInPacket: framer.isInPacket) != .lost else { return [end(.silent)] }
            let actions = continued(at: now)
            switch keepAlive.check(at: now, isInPacket: framer.isInPacket) {
            case .lost: return actions + [end(.silent)]
            case .wait(let delay): return actions + [.startTimer(after: delay)]
            case .ping:
                let ping = ping(now)
                guard case .wait(let delay) = keepAlive.check(at: now, isInPacket: framer.isInPacket) else {
                    return actions + [ping, end(.silent)]
                }
                return actions + [ping, .startTimer(after: delay)]
            }
        }
    }

    /// The process runs. After a pause, a ping finds the end of what has waited in the socket.
    private mutating func continued(at now: Duration) -> [Action] {
        pauseLength += pause.runs(at: now, suspended: suspendedTime()) ?? .zero
        guard phase == .connected, pauseLength > .zero else { return [] }
        let length = pauseLength
        pauseLength = .zero
        pauseBarrier = ResumeBarrier()
        pauseBarrier.start()
        return [.emit(.paused(length)), ping(now)]
    }

    private mutating func ping(_ now: Duration) -> Action {
        keepAlive.pinged(at: now)
        return .send(OutgoingPacket.pingRequest)
    }
}

// Receiving.
extension MQTTSession {
    mutating func receive(_ bytes: ArraySlice<UInt8>, at now: Duration) -> [Action] {
        guard phase != .ended else { return [] }
        keepAlive.received(at: now)
        // A broker of another protocol may wait for more, so its first byte decides.
        if phase == .connecting, !framer.isInPacket, let first = bytes.first, first != 0x20 {
            return [end(.notMQTT(firstByte: first))]
        }
        var actions = continued(at: now)
        var input = bytes
        do throws(MQTTViolation) {
            while phase != .ended, let frame = try framer.next(&input) { actions += try handle(frame, now) }
        } catch {
            // With MQTT 3.1.1, the packet would suppress the last will.
            if phase == .connected, version == .v5 {
                actions.append(.send(OutgoingPacket.disconnect(error.reason.rawValue, version)))
            }
            actions.append(end(.violated(error)))
        }
        return actions
    }

    private mutating func handle(_ frame: PacketFramer.Frame, _ now: Duration) throws(MQTTViolation) -> [Action] {
        switch frame {
        case .packet(let header, let body):
            let packet = try IncomingPacket(header: header, body: body, version: version)
            guard phase == .connected else {
                guard case .connack(let answer) = packet else {
                    throw .protocolError("the broker did not begin with CONNACK")
                }
                return try accept(answer, now)
            }
            return try handle(packet, now)
        case .skipped(let header, let start, let length):
            guard phase == .connected else { throw .protocolError("the broker did not begin with CONNACK") }
            var reader = PacketReader(start)
            let (topic, identifier) = try IncomingMessage.start(header, &reader)
            if identifier != nil { messageArrived() }
            return [.emit(.skipped(topic: topic, size: length))] + acknowledge(identifier, now)
        }
    }

    private mutating func accept(_ answer: ConnectionAnswer, _ now: Duration) throws(MQTTViolation) -> [Action] {
        guard answer.reason == 0 else { return [end(.refused(MQTTReason(answer.reason)))] }
        guard answer.maximumQoS > 0 else {
            return [.send(OutgoingPacket.disconnect(0, version)), end(.withoutConfirmation)]
        }
        guard !answer.isSessionPresent || client.settings.sessionExpiry != .zero else {
            throw .protocolError("the broker has a session that the gateway did not want")
        }
        self.answer = answer
        phase = .connected
        window.setLimit(suspects.cautiousCount > 0 ? 1 : answer.receiveMaximum)
        if let interval = answer.keepAlive, interval > .zero { keepAlive.interval = interval }
        var actions: [Action] = answer.isRetainAvailable ? [] : [.emit(.retainUnavailable)]
        actions.append(.emit(.connected(isSessionPresent: answer.isSessionPresent)))
        if answer.isSessionPresent {
            barrier.start()
            actions.append(ping(now))
        }
        return actions + timerFired(at: now)
    }

    private mutating func handle(_ packet: IncomingPacket, _ now: Duration) throws(MQTTViolation) -> [Action] {
        switch packet {
        case .connack: throw .protocolError("the broker sent CONNACK twice")
        case .publish(let message):
            if message.identifier != nil { messageArrived() }
            let received = ReceivedMessage(
                topic: message.topic, payload: Array(message.payload), isRetained: message.isRetained,
                expiry: message.expiry, mayHaveWaited: barrier.isActive)
            return [.emit(.received(received))] + acknowledge(message.identifier, now)
        case .puback(let identifier, let reason): return confirm(identifier, MQTTReason(reason), now)
        case .suback(let identifier, let reasons):
            guard let request = sentRequests[identifier], !request.isEnd else {
                throw .protocolError("the broker sent SUBACK without a request")
            }
            guard reasons.count == 1 else { throw .protocolError("SUBACK has \(reasons.count) reasons for 1 filter") }
            let cause = MQTTReason.cause(ofSubscription: reasons[0])
            return answered(identifier, cause.map { .subscriptionRefused(filter: request.filter, cause: $0) }, now)
        case .unsuback(let identifier, let reason):
            guard let request = sentRequests[identifier], request.isEnd else {
                throw .protocolError("the broker sent UNSUBACK without a request")
            }
            let cause = reason < 0x80 ? nil : MQTTReason(reason).text
            return answered(identifier, cause.map { .subscriptionEndRefused(filter: request.filter, cause: $0) }, now)
        case .pingresp:
            return keepAlive.answered() ? pingsAnswered(now) : []
        case .disconnect(let reason): return [end(.announced(MQTTReason(reason)))]
        }
    }

    private mutating func messageArrived() {
        barrier.messageArrived()
        pauseBarrier.messageArrived()
    }

    /// The broker has answered all pings.
    private mutating func pingsAnswered(_ now: Duration) -> [Action] {
        let wasPaused = pauseBarrier.isActive
        let needsPing = [barrier.pingAnswered(), pauseBarrier.pingAnswered()].contains(true)
        let actions: [Action] = wasPaused && !pauseBarrier.isActive ? [.emit(.caughtUp)] : []
        return needsPing ? actions + [ping(now)] : actions
    }

    private mutating func answered(_ identifier: UInt16, _ refusal: BrokerEvent?, _ now: Duration) -> [Action] {
        sentRequests[identifier] = nil
        window.release(identifier)
        let requests = sendRequests(now)
        guard let refusal else { return requests }
        return [.emit(refusal)] + requests
    }

    private mutating func acknowledge(_ identifier: UInt16?, _ now: Duration) -> [Action] {
        guard let identifier else { return [] }
        keepAlive.sent(at: now)
        return [.send(OutgoingPacket.acknowledge(identifier))]
    }

    private mutating func confirm(_ identifier: UInt16, _ reason: MQTTReason, _ now: Duration) -> [Action] {
        // A broker may repeat an acknowledgement.
        guard let message = window.answer(identifier) else { return [] }
        suspects.answered(message)
        if suspects.cautiousCount == 0, let answer { window.setLimit(answer.receiveMaximum) }
        let refusal = BrokerRefusal(
            reason.refusalKind, topic: message.topic, size: message.size, cause: reason.text)
        let event: BrokerEvent =
            reason.code < 0x80 ? .acknowledged(message.token) : .rejected(message.token, refusal)
        return [.emit(event)] + sendMessages(now)
    }
}

extension MQTTSession.Ending {
    /// Whether a message of the gateway may be the cause.
    var isByBroker: Bool {
        guard case .announced(let reason) = self else { return false }
        return [0x80, 0x81, 0x82, 0x83, 0x87, 0x90, 0x95, 0x97, 0x99, 0x9A, 0x9B].contains(reason.code)
    }
}
