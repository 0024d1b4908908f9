import DBus

/// Well-known names. No party queues for one here.
extension Hub {
    func request(_ name: String, for party: Party, _ flags: NameFlags = []) -> NameAnswer {
        let owner = owners[name]
        guard owner == nil || owner === party || flags.contains(.replace) && replaceableNames.contains(name) else {
            return .exists
        }
        if flags.contains(.allowReplacement) { replaceableNames.insert(name) } else { replaceableNames.remove(name) }
        if owner === party { return .alreadyOwner }
        if let owner { replace(owner, of: name) }
        owners[name] = party
        namesOfOwner[party.uniqueName, default: []].append(name)
        announce(name, from: owner?.uniqueName, to: party.uniqueName)
        signal("NameAcquired", [name], to: party.uniqueName)
        return .primaryOwner
    }

    private func replace(_ owner: Party, of name: String) {
        drop(name, of: owner)
        signal("NameLost", [name], to: owner.uniqueName)
    }

    private func drop(_ name: String, of owner: Party) {
        namesOfOwner[owner.uniqueName]?.removeAll { $0 == name }
        if namesOfOwner[owner.uniqueName]?.isEmpty == true { namesOfOwner[owner.uniqueName] = nil }
    }

    func release(_ name: String, by party: Party) -> NameAnswer {
        guard let owner = owners[name] else { return .nonExistent }
        guard owner === party else { return .notOwner }
        owners[name] = nil
        replaceableNames.remove(name)
        drop(name, of: party)
        announce(name, from: party.uniqueName, to: nil)
        signal("NameLost", [name], to: party.uniqueName)
        return .released
    }
}

/// How a name is asked for, with the numbers of the D-Bus specification.
struct NameFlags: OptionSet {
    let rawValue: UInt32
    static let allowReplacement = NameFlags(rawValue: 1)
    static let replace = NameFlags(rawValue: 2)
}

/// What asking for a name or giving it up came to, with the numbers of the D-Bus specification.
enum NameAnswer: UInt32 {
    case primaryOwner = 1, exists = 3, alreadyOwner = 4
    case released = 101, nonExistent = 102, notOwner = 103

    /// The number on the wire.
    var number: UInt32 { rawValue % 100 }
}
