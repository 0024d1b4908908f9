import DBus
import Synchronization

/// The middle of a loop-back bus: who is on it, who owns which name, and who gets what.
///
/// Everything but ``nextUniqueName()`` happens in the serial context.
final class Hub: @unchecked Sendable {
    // Guard: the mutable state is read and changed only in `context`, one piece of work at a time.
    let context: SerialContext
    var subscriptions = Subscriptions()

    private var parties: [String: LoopbackConnection] = [:]
    private var owners: [String: LoopbackConnection] = [:]
    private var namesOfOwner: [String: [String]] = [:]
    private var awaited: [Awaited: LoopbackConnection] = [:]
    private var isDown = false
    private var serial: UInt32 = 0
    private let joined = Atomic(0)

    /// A call whose answer the bus lets pass once.
    private struct Awaited: Hashable {
        let caller: String
        let serial: UInt32
    }

    init(_ context: SerialContext) { self.context = context }

    func nextUniqueName() -> String { ":1.\(joined.add(1, ordering: .relaxed).oldValue)" }

    var names: [String] { [BusName.daemon] + parties.keys.sorted() + owners.keys.sorted() }

    func owner(of name: String) -> String? {
        name == BusName.daemon ? name : (owners[name] ?? parties[name])?.uniqueName
    }

    func join(_ party: LoopbackConnection) {
        if isDown { return party.lose(.disconnected(Texts.busGone)) }
        parties[party.uniqueName] = party
        announce(party.uniqueName, from: nil, to: party.uniqueName)
    }

    func leave(_ party: LoopbackConnection) {
        let name = party.uniqueName
        guard parties[name] === party else { return }
        for owned in (namesOfOwner[name] ?? []).reversed() { _ = release(owned, by: party) }
        parties[name] = nil
        announce(name, from: name, to: nil)
        let orphans = awaited.filter { $0.value === party || $0.key.caller == name }
        for (call, callee) in orphans.sorted(by: { ($0.key.caller, $0.key.serial) < ($1.key.caller, $1.key.serial) }) {
            awaited[call] = nil
            if callee === party, call.caller != name { abandon(call) }
        }
    }

    func shutDown() {
        isDown = true
        let all = parties.sorted { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }
        parties = [:]
        owners = [:]
        namesOfOwner = [:]
        awaited = [:]
        for (_, party) in all { party.lose(.disconnected(Texts.busGone)) }
    }

    // MARK: Messages

    func route(_ message: Message, from sender: LoopbackConnection) {
        switch message.kind {
        case .call: routeCall(message, from: sender)
        case .reply, .error:
            guard let destination = message.destination else { return }
            let call = Awaited(caller: destination, serial: message.replySerial)
            guard awaited[call] === sender else { return }
            awaited[call] = nil
            parties[destination]?.accept(answer: message)
        case .signal: deliver(message, from: [sender.uniqueName] + (namesOfOwner[sender.uniqueName] ?? []))
        case nil: break
        }
    }

    private func routeCall(_ message: Message, from sender: LoopbackConnection) {
        guard let destination = message.destination, destination != BusName.daemon else {
            return answer(message, from: sender)
        }
        guard let receiver = parties[destination] ?? owners[destination] else {
            return fail(
                message, DBusError(name: DBusError.Name.serviceUnknown, message: Texts.serviceUnknown(destination)))
        }
        if !message.wantsNoReply { awaited[Awaited(caller: sender.uniqueName, serial: message.serial)] = receiver }
        receiver.accept(call: message)
    }

    private func deliver(_ signal: Message, from senders: [String]) {
        let destination = signal.destination
        for subscription in subscriptions.naming(senders) where subscription.isFor(destination) {
            subscription.offer(signal)
        }
    }

    private func abandon(_ call: Awaited) {
        guard let caller = parties[call.caller] else { return }
        caller.abandon(call.serial, DBusError(name: DBusError.Name.noReply, message: Texts.calleeLeft))
    }

    // MARK: What the bus itself says

    func reply(_ message: Message) {
        guard let destination = message.destination else { return }
        serial += 1
        parties[destination]?.accept(answer: message.stamped(serial: serial, sender: BusName.daemon))
    }

    func fail(_ call: Message, _ error: DBusError) {
        if !call.wantsNoReply, let failure = try? Message.failure(of: call, error) { reply(failure) }
    }

    private func announce(_ name: String, from old: String?, to new: String?) {
        signal("NameOwnerChanged", [name, old ?? "", new ?? ""])
    }

    private func signal(_ member: String, _ arguments: [String], to destination: String? = nil) {
        guard
            let signal = try? Message.signal(
                path: "/org/freedesktop/DBus", interface: BusName.daemon, member: member, to: destination,
                { (body) throws(DBusError) in
                    for argument in arguments { try body.string(argument) }
                })
        else { return }
        serial += 1
        deliver(signal.stamped(serial: serial, sender: BusName.daemon), from: [BusName.daemon])
    }

    // MARK: Names

    func request(_ name: String, for party: LoopbackConnection, queued: Bool, replacing: Bool) -> NameAnswer {
        if let owner = owners[name] { return owner === party ? .alreadyOwner : .exists }
        owners[name] = party
        namesOfOwner[party.uniqueName, default: []].append(name)
        announce(name, from: nil, to: party.uniqueName)
        signal("NameAcquired", [name], to: party.uniqueName)
        return .primaryOwner
    }

    func release(_ name: String, by party: LoopbackConnection) -> NameAnswer {
        guard let owner = owners[name] else { return .nonExistent }
        guard owner === party else { return .notOwner }
        owners[name] = nil
        namesOfOwner[party.uniqueName]?.removeAll { $0 == name }
        if namesOfOwner[party.uniqueName]?.isEmpty == true { namesOfOwner[party.uniqueName] = nil }
        announce(name, from: party.uniqueName, to: nil)
        signal("NameLost", [name], to: party.uniqueName)
        return .released
    }
}

/// What asking for a name or giving it up came to, with the numbers of the D-Bus specification.
enum NameAnswer: UInt32 {
    case primaryOwner = 1, exists = 3, alreadyOwner = 4
    case released = 101, nonExistent = 102, notOwner = 103

    /// The number on the wire.
    var number: UInt32 { rawValue % 100 }
}
