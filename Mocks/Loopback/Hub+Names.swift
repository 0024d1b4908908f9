import DBus

/// Well-known names. Nobody queues for one here, and nobody has one taken away.
extension Hub {
    func request(_ name: String, for party: Party) -> NameAnswer {
        if let owner = owners[name] { return owner === party ? .alreadyOwner : .exists }
        owners[name] = party
        namesOfOwner[party.uniqueName, default: []].append(name)
        announce(name, from: nil, to: party.uniqueName)
        signal("NameAcquired", [name], to: party.uniqueName)
        return .primaryOwner
    }

    func release(_ name: String, by party: Party) -> NameAnswer {
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
