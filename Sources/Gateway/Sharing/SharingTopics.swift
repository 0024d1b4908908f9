import RxBluetooth

/// The topics through which gateways share devices.
struct SharingTopics: Hashable, Sendable {
    /// What a message is about.
    enum Subject: Hashable, Sendable {
        case heard(BluetoothAddress, gateway: String)
        case owner(BluetoothAddress)
        case room(BluetoothAddress)
        case availability(gateway: String)
        /// A client that publishes an availability is a gateway of this sharing.
        case presence(gateway: String)
    }

    private let availability: [Substring]
    /// The beginnings of all topics, of those of devices, and of those of gateways.
    private let base: String
    private let devices: String
    private let gateways: String

    /// Creates the topics.
    ///
    /// - Parameters:
    ///   - base: The first part of all topics but those of the availability.
    ///   - availability: The template of the availability, with `{gateway}` as a level of its own.
    init(base: String, availability: String) {
        self.base = base + "/"
        devices = base + "/devices/"
        gateways = base + "/gateways/"
        self.availability = availability.split(separator: "/", omittingEmptySubsequences: false)
    }

    var availabilityFilter: String {
        availability.map { $0 == "{gateway}" ? "+" : String($0) }.joined(separator: "/")
    }

    /// The filter and the topic by which gateways know each other.
    var presenceFilter: String { gateways + "+" }
    func presence(_ gateway: String) -> String { gateways + gateway }

    func heard(_ address: BluetoothAddress, _ gateway: String) -> String { "\(device(address))/heard/\(gateway)" }
    func owner(_ address: BluetoothAddress) -> String { "\(device(address))/owner" }
    func room(_ address: BluetoothAddress) -> String { "\(device(address))/room" }

    /// The filter of the reports of one gateway about all devices.
    func reports(of gateway: String) -> String { "\(devices)+/heard/\(gateway)" }

    /// The filters of the roles of a device.
    func roles(_ address: BluetoothAddress) -> [String] { [owner(address), room(address)] }

    /// The filters of the messages about a device.
    func filters(_ address: BluetoothAddress) -> [String] {
        ["\(device(address))/heard/+"] + roles(address)
    }

    private func device(_ address: BluetoothAddress) -> String { devices + address.plainText }

    /// Whether a topic belongs to the sharing. Its levels may be invalid.
    func contain(_ topic: String) -> Bool { topic.hasPrefix(base) || gateway(of: topic) != nil }

    /// Returns what a topic is about; nil for a topic of others.
    func subject(of topic: String) -> Subject? {
        guard topic.utf8.count <= 512 else { return nil }
        guard topic.hasPrefix(devices) else {
            guard topic.hasPrefix(gateways) else { return gateway(of: topic).map { .availability(gateway: $0) } }
            let name = topic.dropFirst(gateways.count)
            return Self.isName(name) ? .presence(gateway: String(name)) : nil
        }
        let start = topic.utf8.index(topic.startIndex, offsetBy: devices.utf8.count)
        guard let end = topic.utf8.index(start, offsetBy: 12, limitedBy: topic.endIndex), end < topic.endIndex,
            let address = BluetoothAddress(plainText: topic[start..<end])
        else { return nil }
        switch topic[end...] {
        case "/owner": return .owner(address)
        case "/room": return .room(address)
        case let rest where rest.hasPrefix(Self.heard):
            let name = rest.dropFirst(Self.heard.count)
            return Self.isName(name) ? .heard(address, gateway: String(name)) : nil
        default: return nil
        }
    }

    private static let heard = "/heard/"

    private func gateway(of topic: String) -> String? {
        gateway(topic.split(separator: "/", omittingEmptySubsequences: false))
    }

    private func gateway(_ levels: [Substring]) -> String? {
        guard levels.count == availability.count else { return nil }
        var name: Substring?
        for (level, template) in zip(levels, availability) {
            if template == "{gateway}" { name = level } else if level != template { return nil }
        }
        return name.flatMap { Self.isName($0) ? String($0) : nil }
    }

    private static let reserved = Array("/+#\0".utf8)

    /// Whether a text can be the name of a gateway.
    static func isName(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count) && !text.utf8.contains { reserved.contains($0) }
    }
}

extension BluetoothAddress {
    /// The address without colons, for topics.
    var plainText: String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 12 - digits.utf8.count) + digits
    }

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
