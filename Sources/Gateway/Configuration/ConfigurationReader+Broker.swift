import BluetoothValues
import FoundationEssentials
import YAMLDocuments

/// Reads the connection to the broker.
extension ConfigurationReader {
    func broker(_ value: YAMLValue) -> BrokerSettings {
        let members = value.members([
            "host", "port", "version", "tls", "user", "user-file", "password-file", "client-identifier",
            "session-expiry", "keep-alive", "messages-in-flight", "initial-delay", "maximum-delay",
        ])
        var broker = BrokerSettings()
        if let host = members["host"] { set(&broker.host, self.host(host)) }
        broker.port = members["port"]?.integer(1...65_535).map { UInt16($0) }
        if let version = members["version"] {
            let choices: [(word: String, value: BrokerSettings.Version)] = [("5", .v5), ("3.1.1", .v311)]
            set(&broker.version, version.choice(choices))
        }
        if let tls = members["tls"] { broker.tls = self.tls(tls) }
        broker.user = members["user"]?.text()
        if let file = members["user-file"] {
            if members["user"] != nil { file.report("broker has user and user-file", "remove one of them") }
            broker.user = secretLine(file)
        }
        if let file = members["password-file"] {
            broker.password = secretLine(file).map { Secret($0) }
            if members["user"] == nil, members["user-file"] == nil {
                file.report("broker has a password but no user", "add user or user-file")
            }
        }
        if let identifier = members["client-identifier"] { broker.clientIdentifier = clientIdentifier(identifier) }
        set(&broker.sessionExpiry, members["session-expiry"]?.duration(.zero ... .seconds(365 * 86_400)))
        set(&broker.keepAlive, members["keep-alive"]?.duration(.seconds(5) ... .seconds(65_535)))
        set(&broker.messagesInFlight, members["messages-in-flight"]?.integer(1...1_000))
        set(&broker.initialDelay, members["initial-delay"]?.duration(.milliseconds(100) ... .seconds(3_600)))
        set(&broker.maximumDelay, members["maximum-delay"]?.duration(.milliseconds(100) ... .seconds(86_400)))
        if broker.initialDelay > broker.maximumDelay {
            (members["initial-delay"] ?? members["maximum-delay"])?.report(
                "initial-delay is longer than maximum-delay",
                "make it at most \(YAMLValue.text(broker.maximumDelay))")
        }
        return broker
    }

    private func host(_ value: YAMLValue) -> String? {
        guard let host = value.text() else { return nil }
        // A URL may contain a password, so it is not quoted.
        guard !host.contains("/"), !host.contains("@") else {
            value.report("broker.host is a URL", "write the host only, and use the keys port, tls and user")
            return nil
        }
        guard host.utf8.count <= 253, !host.unicodeScalars.contains(where: { $0 == " " || $0.value < 0x21 }) else {
            value.reportInvalid("write a host name or an address of the Internet Protocol")
            return nil
        }
        guard !host.contains("["), !host.contains("]") else {
            value.report("broker.host has brackets", "write the address without them, and use the key port")
            return nil
        }
        guard !host.contains(":") || Self.isAddress(host) else {
            value.report("broker.host has a port", "write the host only, and use the key port")
            return nil
        }
        return host
    }

    /// Whether a text with a colon looks like an address of IPv6, for example `fe80::1%eth0`, and has no port.
    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 1 || !parts[1].isEmpty else { return false }
        return parts[0].count { $0 == ":" } > 1 && parts[0].allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    }

    private func clientIdentifier(_ value: YAMLValue) -> String? {
        guard let text = value.text() else { return nil }
        guard text.utf8.count <= 64, !text.unicodeScalars.contains(where: \.isControl) else {
            value.reportInvalid("write at most 64 bytes without control characters")
            return nil
        }
        return text
    }

    /// Reads `true`, `false`, or the files of TLS.
    private func tls(_ value: YAMLValue) -> BrokerSettings.TLS? {
        if value.node.scalar != nil, !value.isNull { return value.flag() == true ? BrokerSettings.TLS() : nil }
        let members = value.members(["authorities", "certificate", "key"])
        var tls = BrokerSettings.TLS()
        tls.authorities = members["authorities"].flatMap(certificateFile)
        tls.certificate = members["certificate"].flatMap(certificateFile)
        tls.key = members["key"].flatMap(keyFile)
        if let certificate = members["certificate"], members["key"] == nil {
            certificate.report("broker.tls has a certificate without a key", "add the key key")
        }
        if let key = members["key"], members["certificate"] == nil {
            key.report("broker.tls has a key without a certificate", "add the key certificate")
        }
        return tls
    }
}

extension Unicode.Scalar {
    /// Whether this is a control character.
    var isControl: Bool { properties.generalCategory == .control }
}
