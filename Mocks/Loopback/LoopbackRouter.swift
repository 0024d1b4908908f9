import DBus
import Synchronization

/// Routes messages of a loop-back bus: its peers, name owners and subscriptions.
///
/// Everything except ``nextUniqueName()`` runs in the serial context.
final class LoopbackRouter: @unchecked Sendable {
    // Guard: mutable state is used only in `context`, which runs one piece of work at a time.
    let context: SerialContext
    var subscriptions = LoopbackSubscriptions()

    var peers: [String: LoopbackPeer] = [:]
    var owners: [String: LoopbackPeer] = [:]
    var namesOfOwner: [String: [String]] = [:]
    /// The names that another peer may take over, because their owners allow it.
    var replaceableNames: Set<String> = []
    private var awaited: [Awaited: LoopbackPeer] = [:]
    private var isDown = false
    private var serial: UInt32 = 0
    private let joined = Atomic(0)

    /// A call that waits for its reply. The router forwards only one reply to it.
    private struct Awaited: Hashable {
        let caller: String
        let serial: UInt32
    }

    init(_ context: SerialContext) { self.context = context }

    func nextUniqueName() -> String { ":1.\(joined.add(1, ordering: .relaxed).oldValue)" }

    var names: [String] { [BusName.daemon] + peers.keys.sorted() + owners.keys.sorted() }

    func owner(of name: String) -> String? {
        name == BusName.daemon ? name : (owners[name] ?? peers[name])?.uniqueName
    }

    func join(_ peer: LoopbackPeer) {
        if isDown { return peer.lose(.disconnected(BusErrorTexts.busGone)) }
        peers[peer.uniqueName] = peer
        announce(peer.uniqueName, from: nil, to: peer.uniqueName)
    }

    func leave(_ peer: LoopbackPeer) {
        let name = peer.uniqueName
        guard peers[name] === peer else { return }
        for owned in (namesOfOwner[name] ?? []).reversed() { _ = release(owned, by: peer) }
        peers[name] = nil
        announce(name, from: name, to: nil)
        let orphans = awaited.filter { $0.value === peer || $0.key.caller == name }
        for (call, callee) in orphans.sorted(by: { ($0.key.caller, $0.key.serial) < ($1.key.caller, $1.key.serial) }) {
            awaited[call] = nil
            if callee === peer, call.caller != name { abandon(call) }
        }
    }

    func shutDown() {
        isDown = true
        let all = peers.sorted { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }
        peers = [:]
        owners = [:]
        namesOfOwner = [:]
        awaited = [:]
        for (_, peer) in all { peer.lose(.disconnected(BusErrorTexts.busGone)) }
    }

    // MARK: Messages

    func route(_ message: Message, from sender: LoopbackPeer) {
        switch message.kind {
        case .call: routeCall(message, from: sender)
        case .reply, .error:
            guard let destination = message.destination else { return }
            let call = Awaited(caller: destination, serial: message.replySerial)
            guard awaited[call] === sender else { return }
            awaited[call] = nil
            peers[destination]?.receiveReply(message)
        case .signal: deliver(message, from: [sender.uniqueName] + (namesOfOwner[sender.uniqueName] ?? []))
        case nil: break
        }
    }

    private func routeCall(_ message: Message, from sender: LoopbackPeer) {
        guard let destination = message.destination, destination != BusName.daemon else {
            return answer(message, from: sender)
        }
        guard let receiver = peers[destination] ?? owners[destination] else {
            return fail(
                message,
                DBusError(name: DBusError.Name.serviceUnknown, message: BusErrorTexts.serviceUnknown(destination)))
        }
        if !message.noReplyExpected { awaited[Awaited(caller: sender.uniqueName, serial: message.serial)] = receiver }
        receiver.serve(message)
    }

    private func deliver(_ signal: Message, from senders: [String]) {
        let destination = signal.destination
        for subscription in subscriptions.naming(senders) where subscription.isFor(destination) {
            subscription.offer(signal)
        }
    }

    private func abandon(_ call: Awaited) {
        guard let caller = peers[call.caller] else { return }
        caller.failCall(call.serial, DBusError(name: DBusError.Name.noReply, message: BusErrorTexts.calleeLeft))
    }

    // MARK: Messages of the bus itself

    func reply(_ message: Message) {
        guard let destination = message.destination else { return }
        serial += 1
        peers[destination]?.receiveReply(message.stamped(serial: serial, sender: BusName.daemon))
    }

    func fail(_ call: Message, _ error: DBusError) {
        if !call.noReplyExpected, let failure = try? Message.failure(of: call, error) { reply(failure) }
    }

    func announce(_ name: String, from old: String?, to new: String?) {
        signal("NameOwnerChanged", [name, old ?? "", new ?? ""])
    }

    func signal(_ member: String, _ arguments: [String], to destination: String? = nil) {
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
}
