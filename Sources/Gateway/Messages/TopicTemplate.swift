import RxBluetooth
import YAMLDocuments

/// A topic with placeholders for the gateway and the device.
struct TopicTemplate: Hashable {
    /// The values that replace text in braces.
    enum Placeholder: String, CaseIterable {
        case gateway, address, mac, name
    }

    private enum Part: Hashable {
        case text(String)
        case placeholder(Placeholder)
    }

    private var parts: [Part] = []

    /// Reads a template. Unknown placeholders and wildcards are kept as text; ``mistake(in:isOfDevice:)`` finds them.
    init(_ text: String) {
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            guard let placeholder = Placeholder(rawValue: String(rest[rest.index(after: open)..<close])) else {
                parts.append(.text(String(rest[...close])))
                rest = rest[rest.index(after: close)...]
                continue
            }
            parts.append(.text(String(rest[..<open])))
            parts.append(.placeholder(placeholder))
            rest = rest[rest.index(after: close)...]
        }
        parts.append(.text(String(rest)))
    }

    /// Returns the topic. Placeholders without a value are kept.
    func topic(_ values: [Placeholder: String]) -> String { topic { values[$0] } }

    /// Returns the topic, with values that are made only if they occur.
    func topic(_ value: (Placeholder) -> String?) -> String {
        var topic = ""
        for part in parts {
            switch part {
            case .text(let text): topic += text
            case .placeholder(let placeholder): topic += value(placeholder) ?? "{\(placeholder.rawValue)}"
            }
        }
        return topic
    }

    /// Whether one level is the address of the device and nothing else, so that a subscription can leave it open.
    var hasWholeLevelForDevice: Bool {
        topic([:]).split(separator: "/").contains { $0 == "{mac}" || $0 == "{address}" }
    }

    /// Whether it contains the name of the device.
    var hasName: Bool { parts.contains(.placeholder(.name)) }

    /// Whether devices with the same name have the same topic.
    var hasOnlyNameOfDevice: Bool {
        parts.contains(.placeholder(.name)) && !parts.contains(.placeholder(.mac))
            && !parts.contains(.placeholder(.address))
    }

    /// Returns what is wrong with a template; nil if it is valid.
    ///
    /// - Parameter isOfDevice: Whether each device has a topic of its own.
    static func mistake(in text: String, isOfDevice: Bool) -> (problem: String, advice: String)? {
        let template = TopicTemplate(text)
        let names = Placeholder.allCases.map(\.rawValue)
        var fixed = ""
        for case .text(let text) in template.parts { fixed += text }
        if let open = fixed.firstIndex(of: "{") {
            let name = String(fixed[fixed.index(after: open)...].prefix { $0 != "}" })
            let guess = Spelling.closest(to: name, in: names).map { "did you mean {\($0)}? " } ?? ""
            return ("has an unknown placeholder", guess + "use {gateway}, {mac}, {address} or {name}")
        }
        if fixed.contains("}") { return ("has a } without {", "use {gateway}, {mac}, {address} or {name}") }
        if fixed.contains(where: { $0 == "+" || $0 == "#" }) {
            return ("has a wildcard", "remove + and #: messages are published to one topic")
        }
        if fixed.unicodeScalars.contains(where: \.isControl) {
            return ("has a control character", "remove it")
        }
        if text.hasPrefix("$") { return ("begins with $", "remove it: such topics belong to the broker") }
        if text.utf8.count > 512 { return ("is too long", "write at most 512 bytes") }
        let hasDevice = template.parts.contains { part in
            if case .placeholder(let placeholder) = part { return placeholder != .gateway }
            return false
        }
        if isOfDevice, !hasDevice {
            return ("is the same for all devices", "add {mac}, {address} or {name}")
        }
        if !isOfDevice, hasDevice {
            return ("has a placeholder of a device, but is a topic of the gateway", "use only {gateway}")
        }
        return nil
    }
}
