import DBus
import Glibc

/// The methods of the object `org.freedesktop.DBus` that clients use.
extension LoopbackRouter {
    func answer(_ call: Message, from peer: LoopbackPeer) {
        do throws(DBusError) { reply(try answered(call, from: peer)) } catch { fail(call, error) }
    }

    private func answered(_ call: Message, from peer: LoopbackPeer) throws(DBusError) -> Message {
        switch call.member {
        case "Hello":
            return try Message.reply(to: call) { (body) throws(DBusError) in
                try body.string(peer.uniqueName)
            }
        case "GetNameOwner":
            let owner = try ownerAsked(call)
            return try Message.reply(to: call) { (body) throws(DBusError) in try body.string(owner) }
        case "NameHasOwner":
            let name = try argument(call)
            return try Message.reply(to: call) { (body) throws(DBusError) in body.bool(owner(of: name) != nil) }
        case "ListNames", "ListActivatableNames":
            let names = call.member == "ListNames" ? names : [BusName.daemon]
            return try Message.reply(to: call) { (body) throws(DBusError) in try body.value(.strings(names)) }
        case "RequestName":
            let (name, flags) = try call.read { (body) throws(DBusError) in (try body.string(), try body.uint32()) }
            let answer = request(name, for: peer, NameFlags(rawValue: flags))
            return try Message.reply(to: call) { (body) throws(DBusError) in body.uint32(answer.number) }
        case "ReleaseName":
            let answer = release(try argument(call), by: peer)
            return try Message.reply(to: call) { (body) throws(DBusError) in body.uint32(answer.number) }
        case "AddMatch", "RemoveMatch": return try Message.reply(to: call)
        case "GetId":
            return try Message.reply(to: call) { (body) throws(DBusError) in
                try body.string("00000000000000000000000000000001")
            }
        case "GetConnectionUnixUser", "GetConnectionUnixProcessID":
            _ = try ownerAsked(call)
            let number = call.member == "GetConnectionUnixUser" ? getuid() : UInt32(getpid())
            return try Message.reply(to: call) { (body) throws(DBusError) in body.uint32(number) }
        case "StartServiceByName":
            throw DBusError(
                name: DBusError.Name.serviceUnknown, message: BusErrorTexts.serviceUnknown(try argument(call)))
        default:
            throw DBusError(
                name: DBusError.Name.unknownMethod,
                message: "\(call.interface ?? BusName.daemon) does not understand message \(call.member ?? "")")
        }
    }

    private func argument(_ call: Message) throws(DBusError) -> String {
        try call.read { (body) throws(DBusError) in try body.string() }
    }

    private func ownerAsked(_ call: Message) throws(DBusError) -> String {
        let name = try argument(call)
        guard let owner = owner(of: name) else {
            throw DBusError(name: DBusError.Name.nameHasNoOwner, message: BusErrorTexts.noOwner(name))
        }
        return owner
    }
}
