import RxBluetooth

/// The topics through which gateways share devices.
struct SharingTopics: Hashable, Sendable {
    /// What a message is about.
    enum Subject: Hashable, Sendable {
        case heard(BluetoothAddress, gateway: String)
        case owner(BluetoothAddress)
        case room(BluetoothAddress)
        case availability(gateway: String)
    }

    private let base: [Substring]
    private let availability: [Substring]
    private let baseText: String

    /// Creates the topics.
    ///
    /// - Parameters:
    ///   - base: The first part of all topics but those of the availability.
    ///   - availability: The template of the availability, with `{gateway}` as a level of its own.
    init(base: String, availability: String) {
        baseText = base
        self.base = base.split(separator: "/", omittingEmptySubsequences: false)
        self.availability = availability.split(separator: "/", omittingEmptySubsequences: false)
    }

    var availabilityFilter: String {
        availability.map { $0 == "{gateway}" ? "+" : String($0) }.joined(separator: "/")
    }

    func heard(_ address: BluetoothAddress, _ gateway: String) -> String { "\(device(address))/heard/\(gateway)" }
    func owner(_ address: BluetoothAddress) -> String { "\(device(address))/owner" }
    func room(_ address: BluetoothAddress) -> String { "\(device(address))/room" }

    /// The filters of the messages about a device.
    func filters(_ address: BluetoothAddress) -> [String] {
        ["\(device(address))/heard/+", owner(address), room(address)]
    }

    private func device(_ address: BluetoothAddress) -> String { "\(baseText)/devices/\(address.plainText)" }

    /// Returns what a topic is about; nil for a topic of others.
    func subject(of topic: String) -> Subject? {
        guard topic.utf8.count <= 512 else { return nil }
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        if let gateway = gateway(levels) { return .availability(gateway: gateway) }
        guard levels.count >= base.count + 3, levels.starts(with: base), levels[base.count] == "devices",
            let address = BluetoothAddress(plainText: levels[base.count + 1])
        else { return nil }
        let rest = levels[(base.count + 2)...]
        switch (rest.first, rest.count) {
        case ("owner", 1): return .owner(address)
        case ("room", 1): return .room(address)
        case ("heard", 2): return rest.last.flatMap { Self.isName($0) ? .heard(address, gateway: String($0)) : nil }
        default: return nil
        }
    }

    private func gateway(_ levels: [Substring]) -> String? {
        guard levels.count == availability.count else { return nil }
        var name: Substring?
        for (level, template) in zip(levels, availability) {
            if template == "{gateway}" { name = level } else if level != template { return nil }
        }
        return name.flatMap { Self.isName($0) ? String($0) : nil }
    }

    /// Whether a text can be the name of a gateway.
    static func isName(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count) && !text.contains { $0 == "/" || $0 == "+" || $0 == "#" || $0 == "\0" }
    }
}

extension BluetoothAddress {
    /// The address without colons, for topics.
    var plainText: String { description.filter { $0 != ":" } }

    /// Reads an address without colons.
    init?(plainText: some StringProtocol) {
        guard plainText.utf8.count == 12 else { return nil }
        var number: UInt64 = 0
        for character in plainText.utf8 {
            guard let digit = HexDigits.digit(character) else { return nil }
            number = number << 4 | UInt64(digit)
        }
        self.init(number)
    }
}
