import RxBluetooth

/// A command-line argument that names a device.
enum Target: Equatable, Sendable {
    case address(BluetoothAddress)
    /// A part of the device's name or address, in upper or lower case.
    case part(String)

    /// Reads an address, a name, or a part of either.
    ///
    /// Throws if the text is empty, or looks like an address but is malformed: no device would match such a text.
    init(parsing text: String) throws(CLIError) {
        let trimmed = text.trimmed
        guard !trimmed.isEmpty else {
            throw CLIError(.usage, "The target is empty. Give an address, a name, or a part of one.")
        }
        if let address = BluetoothAddress(trimmed.replacing("-", with: ":")) {
            self = .address(address)
        } else if Self.looksLikeAddress(trimmed) {
            throw CLIError(.usage, "“\(trimmed)” is not an address. Give one such as C0:FF:EE:00:00:01.")
        } else {
            self = .part(trimmed)
        }
    }

    private static func looksLikeAddress(_ text: String) -> Bool {
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        return groups.count >= 6 && groups.allSatisfy { $0.count <= 2 && $0.allSatisfy { $0.isLetter || $0.isNumber } }
    }

    /// How well a device matches a target.
    enum Match: Sendable {
        case exact, partial
    }

    /// Whether a part of a name is a whole word of this name, or several.
    private func isWholeWord(of name: String?) -> Bool {
        guard case .part(let part) = self, let name else { return false }
        return " \(name.lowercased()) ".contains(" \(part.lowercased()) ")
    }

    /// Whether the target is a whole word of the device's name or alias, or several.
    func isWholeWord(of candidate: DeviceCandidates.Candidate) -> Bool {
        isWholeWord(of: candidate.name) || isWholeWord(of: candidate.peripheral.alias)
    }

    /// Whether the target is the device's name or alias, or a part of one, in upper or lower case.
    func isPartOfName(of candidate: DeviceCandidates.Candidate) -> Bool {
        guard case .part(let part) = self else { return false }
        return [candidate.name, candidate.peripheral.alias].compactMap { $0?.lowercased() }
            .contains { $0.contains(part.lowercased()) }
    }

    /// Returns how well a device matches by its address, its name or its alias; nil if it does not match.
    func match(_ peripheral: Peripheral, name: String?) -> Match? {
        let matches = [name, peripheral.alias].compactMap { match(peripheral.address, name: $0) }
        return matches.contains(.exact) ? .exact : matches.first ?? match(peripheral.address, name: nil)
    }

    /// Returns how well a device matches; nil if it does not match.
    func match(_ address: BluetoothAddress, name: String?) -> Match? {
        switch self {
        case .address(let wanted): return address == wanted ? .exact : nil
        case .part(let part):
            let part = part.lowercased()
            let name = name?.lowercased()
            if name == part { return .exact }
            // An address without colons, which may also be a name.
            let address = address
            if part.utf8.count == 12, part == address.description.lowercased().filter({ $0 != ":" }) { return .exact }
            return name?.contains(part) == true || address.description.lowercased().contains(part) ? .partial : nil
        }
    }
}

extension Target: CustomStringConvertible {
    var description: String {
        switch self {
        case .address(let address): address.description
        case .part(let part): "“\(part)”"
        }
    }
}

extension String {
    /// The text without white space at its ends.
    var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
