extension GatewayConfiguration {
    /// What the settings allow although it is probably a mistake; one sentence each.
    ///
    /// There is a warning if the password of the broker would be sent to another host without TLS.
    public var warnings: [String] {
        guard broker.password != nil, broker.tls == nil, !Self.isThisHost(broker.host) else { return [] }
        return [
            "the password of the broker would be sent to \(broker.host) without encryption; write tls: true in broker"
        ]
    }

    private static func isThisHost(_ host: String) -> Bool {
        let host = host.lowercased()
        return ["localhost", "localhost.", "ip6-localhost", "::1"].contains(host) || host.hasPrefix("127.")
    }
}
