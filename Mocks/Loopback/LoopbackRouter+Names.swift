import DBus

/// Requests and releases well-known names. Unlike dbus-daemon, the router has no queue of owners.
extension LoopbackRouter {
    func request(_ name: String, for peer: LoopbackPeer, _ flags: NameFlags = []) -> NameRequestResult {
        let owner = owners[name]
        guard owner == nil || owner === peer || flags.contains(.replace) && replaceableNames.contains(name) else {
            return .exists
        }
        if flags.contains(.allowReplacement) { replaceableNames.insert(name) } else { replaceableNames.remove(name) }
        if owner === peer { return .alreadyOwner }
        if let owner { replace(owner, of: name) }
        owners[name] = peer
        namesOfOwner[peer.uniqueName, default: []].append(name)
        announce(name, from: owner?.uniqueName, to: peer.uniqueName)
        signal("NameAcquired", [name], to: peer.uniqueName)
        return .primaryOwner
    }

    private func replace(_ owner: LoopbackPeer, of name: String) {
        drop(name, of: owner)
        signal("NameLost", [name], to: owner.uniqueName)
    }

    private func drop(_ name: String, of owner: LoopbackPeer) {
        namesOfOwner[owner.uniqueName]?.removeAll { $0 == name }
        if namesOfOwner[owner.uniqueName]?.isEmpty == true { namesOfOwner[owner.uniqueName] = nil }
    }

    func release(_ name: String, by peer: LoopbackPeer) -> NameRequestResult {
        guard let owner = owners[name] else { return .nonExistent }
        guard owner === peer else { return .notOwner }
        owners[name] = nil
        replaceableNames.remove(name)
        drop(name, of: peer)
        announce(name, from: peer.uniqueName, to: nil)
        signal("NameLost", [name], to: peer.uniqueName)
        return .released
    }
}

/// Flags of `RequestName`, with the numbers of the D-Bus specification.
struct NameFlags: OptionSet {
    let rawValue: UInt32
    static let allowReplacement = NameFlags(rawValue: 1)
    static let replace = NameFlags(rawValue: 2)
}

/// Results of `RequestName` and `ReleaseName`, with the numbers of the D-Bus specification.
enum NameRequestResult: UInt32 {
    case primaryOwner = 1, exists = 3, alreadyOwner = 4
    case released = 101, nonExistent = 102, notOwner = 103

    /// The number in the reply. The raw values of `ReleaseName` are 100 higher, to be unique.
    var number: UInt32 { rawValue % 100 }
}
