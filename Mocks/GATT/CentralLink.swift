import DBus

/// A link from a central to an adapter. It carries one ATT request at a time.
///
/// Source: BlueZ 5.66, src/shared/gatt-server.c and src/gatt-database.c.
final class CentralLink {
    unowned let manager: GATTManager
    let device: DaemonDevice
    let mtu: Int
    /// Called with each value that the central receives.
    let deliver: (PublishedAttribute, [UInt8]) -> Void
    /// The CCCD of each attribute that is not 0.
    private var subscriptions: [ObjectIdentifier: (attribute: PublishedAttribute, value: UInt16)] = [:]
    private var prepared: [PreparedWrite] = []
    private var requests: [(@escaping () -> Void) -> Void] = []
    private var isBusy = false
    private(set) var isUp = true

    typealias Done = (Result<[UInt8], ATTFailure>) -> Void

    /// The code of an ATT error.
    struct ATTFailure: Error {
        let code: UInt8

        init(_ code: UInt8) { self.code = code }
    }

    private struct PreparedWrite {
        let attribute: PublishedAttribute
        let offset: Int
        var value: [UInt8]
    }

    /// The number of prepared writes that bluetoothd holds, and the time that it gives a client for an answer.
    private static let longestQueue = 30
    private static let answerTimeout = Duration.seconds(5)
    private static let longestValue = 512

    init(
        _ manager: GATTManager, _ device: DaemonDevice, mtu: Int,
        deliver: @escaping (PublishedAttribute, [UInt8]) -> Void
    ) {
        self.manager = manager
        self.device = device
        self.mtu = mtu
        self.deliver = deliver
    }

    private var loop: DaemonLoop { device.loop }

    private var roundTrip: Duration { device.link?.deviceState.connection.roundTrip ?? .milliseconds(10) }

    // MARK: Requests

    private func request(_ work: @escaping (@escaping () -> Void) -> Void) {
        requests.append(work)
        next()
    }

    private func next() {
        guard isUp, !isBusy, !requests.isEmpty else { return }
        isBusy = true
        let work = requests.removeFirst()
        loop.after(roundTrip) { [weak self] in
            guard let self, isUp else { return }
            work { [weak self] in
                self?.isBusy = false
                self?.next()
            }
        }
    }

    /// Reads a part of a value. bluetoothd sends at most one packet.
    func read(_ attribute: PublishedAttribute?, at offset: Int, _ done: @escaping Done) {
        request { [self] finish in
            let result: (Result<[UInt8], ATTFailure>) -> Void = {
                finish()
                done($0)
            }
            guard let attribute, manager.contains(attribute) else { return result(.failure(ATTFailure(0x01))) }
            if let code = attribute.refusal(of: "read") { return result(.failure(ATTFailure(code))) }
            call(attribute, "ReadValue", [options(offset)]) { [mtu] reply in
                switch reply {
                case .success(let message):
                    let value = try? message.read { (body) throws(DBusError) in try body.bytes() }
                    guard let value else { return result(.failure(ATTFailure(0x06))) }
                    result(.success(Array(value.prefix(Self.longestValue).prefix(mtu - 1))))
                case .failure(let error): result(.failure(Self.failure(error, permission: 0x02)))
                }
            }
        }
    }

    /// Reads a whole value, in as many parts as necessary.
    func readAll(_ attribute: PublishedAttribute?, _ done: @escaping Done) { readRest(attribute, [], done) }

    private func readRest(_ attribute: PublishedAttribute?, _ start: [UInt8], _ done: @escaping Done) {
        read(attribute, at: start.count) { [self] result in
            guard case .success(let part) = result else { return done(result) }
            let value = start + part
            // A part that fills the packet may have a successor.
            guard part.count == mtu - 1, value.count < Self.longestValue else { return done(.success(value)) }
            readRest(attribute, value, done)
        }
    }

    /// Writes a value with response.
    func write(_ value: [UInt8], at offset: Int = 0, to attribute: PublishedAttribute?, _ done: @escaping Done) {
        request { [self] finish in
            send(value, at: offset, to: attribute) { result in
                finish()
                done(result)
            }
        }
    }

    /// Writes a value without response. bluetoothd drops it if the attribute does not permit it.
    func writeCommand(_ value: [UInt8], to attribute: PublishedAttribute?) {
        loop.after(roundTrip) { [weak self] in
            guard let self, isUp, let attribute, manager.contains(attribute), attribute.refusal(of: "write") == nil,
                value.count <= mtu - 3
            else { return }
            loop.callOneWay(
                attribute.client, attribute.path, method("WriteValue", of: attribute), [.bytes(value), options(0)])
        }
    }

    /// Adds a part to the queue of prepared writes.
    func prepare(_ value: [UInt8], at offset: Int, to attribute: PublishedAttribute?, _ done: @escaping Done) {
        request { [self] finish in
            defer { finish() }
            guard let attribute, manager.contains(attribute) else { return done(.failure(ATTFailure(0x01))) }
            if let code = attribute.refusal(of: "write") { return done(.failure(ATTFailure(code))) }
            if offset > Self.longestValue { return done(.failure(ATTFailure(0x07))) }
            if offset + value.count > Self.longestValue { return done(.failure(ATTFailure(0x0D))) }
            if let last = prepared.last, last.attribute === attribute, last.offset + last.value.count == offset {
                prepared[prepared.count - 1].value += value
            } else {
                guard prepared.count < Self.longestQueue else { return done(.failure(ATTFailure(0x09))) }
                prepared.append(PreparedWrite(attribute: attribute, offset: offset, value: value))
            }
            done(.success(value))
        }
    }

    /// Writes the prepared parts, or discards them.
    func execute(discarding: Bool = false, _ done: @escaping Done) {
        request { [self] finish in
            let result: Done = {
                finish()
                done($0)
            }
            defer { prepared = [] }
            if discarding { return result(.success([])) }
            // Several parts that do not follow each other are a reliable write.
            if prepared.count > 1, prepared.contains(where: { !$0.attribute.isReliable }) {
                return result(.failure(ATTFailure(0x06)))
            }
            executeNext(prepared, result)
        }
    }

    private func executeNext(_ parts: [PreparedWrite], _ done: @escaping Done) {
        guard let part = parts.first else { return done(.success([])) }
        send(part.value, at: part.offset, to: part.attribute) { [self] result in
            guard case .success = result else { return done(result) }
            executeNext(Array(parts.dropFirst()), done)
        }
    }

    private func send(
        _ value: [UInt8], at offset: Int, to attribute: PublishedAttribute?, _ done: @escaping Done
    ) {
        guard let attribute, manager.contains(attribute) else { return done(.failure(ATTFailure(0x01))) }
        if let code = attribute.refusal(of: "write") { return done(.failure(ATTFailure(code))) }
        let arguments: [Value] = [.bytes(value), options(offset)]
        // bluetoothd confirms all writes to a characteristic with write-without-response by itself.
        if attribute.flags.contains("write-without-response") {
            loop.callOneWay(attribute.client, attribute.path, method("WriteValue", of: attribute), arguments)
            return done(.success([]))
        }
        call(attribute, "WriteValue", arguments) { reply in
            switch reply {
            case .success: done(.success([]))
            case .failure(let error): done(.failure(Self.failure(error, permission: 0x03)))
            }
        }
    }

    private func call(
        _ attribute: PublishedAttribute, _ member: String, _ arguments: [Value],
        _ answered: @escaping (Result<Message, DBusError>) -> Void
    ) {
        loop.call(
            attribute.client, attribute.path, method(member, of: attribute), arguments, timeout: Self.answerTimeout
        ) { [weak self] result in
            if self?.isUp == true { answered(result) }
        }
    }

    private func method(_ member: String, of attribute: PublishedAttribute) -> (interface: String, member: String) {
        (attribute.interface, member)
    }

    /// The options of a call, as append_options makes them.
    private func options(_ offset: Int) -> Value {
        var options: [String: Value] = [
            "device": .objectPath(device.path), "link": .string("LE"), "mtu": .uint16(UInt16(mtu)),
        ]
        if offset > 0 { options["offset"] = .uint16(UInt16(truncatingIfNeeded: offset)) }
        return .properties(options)
    }

    /// Returns the ATT error for a client's error. Source: dbus_error_to_att_ecode.
    private static func failure(_ error: DBusError, permission: UInt8) -> ATTFailure {
        let prefix = "org.bluez.Error."
        guard error.name.hasPrefix(prefix) else { return ATTFailure(0x0E) }
        switch error.name.dropFirst(prefix.count) {
        case "Failed":
            guard error.message.hasPrefix("0x"), let code = UInt32(error.message.dropFirst(2), radix: 16) else {
                return ATTFailure(0x80)
            }
            return ATTFailure(0x80...0x9F ~= code ? UInt8(code) : 0x0E)
        case "NotSupported": return ATTFailure(0x06)
        case "NotAuthorized": return ATTFailure(0x08)
        case "InvalidValueLength": return ATTFailure(0x0D)
        case "InvalidOffset": return ATTFailure(0x07)
        case "InProgress": return ATTFailure(0xFE)
        case "NotPermitted": return ATTFailure(permission)
        default: return ATTFailure(0x0E)
        }
    }

    // MARK: Subscriptions

    /// Writes the CCCD of a characteristic: 0 for nothing, 1 for notifications, 2 for indications (ccc_write_cb).
    func subscribe(_ value: UInt16, to attribute: PublishedAttribute?, _ done: @escaping Done) {
        request { [self] finish in
            defer { finish() }
            guard let attribute, manager.contains(attribute), attribute.offers("notify") || attribute.offers("indicate")
            else { return done(.failure(ATTFailure(0x01))) }
            let key = ObjectIdentifier(attribute)
            if value == subscriptions[key]?.value ?? 0 { return done(.success([])) }
            guard value != 0 else {
                subscriptions[key] = nil
                unsubscribed(attribute)
                return done(.success([]))
            }
            guard value == 1 && attribute.offers("notify") || value == 2 && attribute.offers("indicate") else {
                return done(.failure(ATTFailure(0xFD)))
            }
            subscriptions[key] = (attribute, value)
            attribute.subscriberCount += 1
            loop.callOneWay(attribute.client, attribute.path, method("StartNotify", of: attribute), [])
            done(.success([]))
        }
    }

    private func unsubscribed(_ attribute: PublishedAttribute) {
        attribute.subscriberCount -= 1
        guard attribute.subscriberCount == 0, manager.contains(attribute) else { return }
        loop.callOneWay(attribute.client, attribute.path, method("StopNotify", of: attribute), [])
    }

    /// Sends a changed value to the central if it is subscribed.
    func valueChanged(_ value: [UInt8], of attribute: PublishedAttribute) {
        guard let subscription = subscriptions[ObjectIdentifier(attribute)] else { return }
        let packet = Array(value.prefix(mtu - 3))
        loop.after(roundTrip) { [weak self] in
            guard let self, isUp else { return }
            deliver(attribute, packet)
            guard subscription.value == 2, manager.contains(attribute) else { return }
            loop.callOneWay(attribute.client, attribute.path, method("Confirm", of: attribute), [])
        }
    }

    /// Ends the requests and subscriptions, because the link of the device has ended. Requests get no answer.
    func end() {
        guard isUp else { return }
        isUp = false
        manager.remove(self)
        requests = []
        let all = subscriptions.values.map(\.attribute)
        subscriptions = [:]
        for attribute in all { unsubscribed(attribute) }
    }
}
