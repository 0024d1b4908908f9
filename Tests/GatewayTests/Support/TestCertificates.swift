import Gateway

/// Certificates that openssl makes for a test: two authorities, servers and clients.
struct TestCertificates {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for authority in ["ca", "other-ca"] {
            try openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=\(authority)", "-keyout", folder.path("\(authority).key"), "-out",
                folder.path("\(authority).pem"))
        }
        try sign("server", names: "DNS:localhost", by: "ca")
        try sign("elsewhere", names: "DNS:broker.example", by: "ca")
        try sign("address", names: "IP:127.0.0.1", by: "ca")
        try sign("expired", names: "DNS:localhost", by: "ca", days: "-1")
        try sign("client", names: "DNS:attic", by: "ca")
        try sign("stranger", names: "DNS:attic", by: "other-ca")
    }

    /// The lines of mosquitto's configuration.
    func lines(server: String, requiresClient: Bool = false) -> [String] {
        [
            "allow_anonymous true", "cafile \(folder.path("ca.pem"))", "certfile \(folder.path("\(server).pem"))",
            "keyfile \(folder.path("\(server).key"))", "require_certificate \(requiresClient)",
        ]
    }

    func tls(authority: String? = "ca", client: String? = nil) -> BrokerSettings.TLS {
        var tls = BrokerSettings.TLS()
        tls.authorities = authority.map { folder.path("\($0).pem") }
        tls.certificate = client.map { folder.path("\($0).pem") }
        tls.key = client.map { folder.path("\($0).key") }
        return tls
    }

    /// Replaces a key by an encrypted one.
    func encryptKey(of name: String) throws {
        let key = folder.path("\(name).key")
        try openssl("pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", key + ".encrypted")
        try folder.write("\(name).key", folder.read("\(name).key.encrypted"))
    }

    private func sign(_ name: String, names: String, by authority: String, days: String = "2") throws {
        try folder.write("\(name).ext", Array("subjectAltName=\(names)".utf8))
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)", "-keyout",
            folder.path("\(name).key"), "-out", folder.path("\(name).csr"))
        try openssl(
            "x509", "-req", "-in", folder.path("\(name).csr"), "-CA", folder.path("\(authority).pem"), "-CAkey",
            folder.path("\(authority).key"), "-CAcreateserial", "-days", days, "-extfile", folder.path("\(name).ext"),
            "-out", folder.path("\(name).pem"))
    }

    private func openssl(_ arguments: String...) throws {
        guard try MosquittoProcess.run("/usr/bin/openssl", arguments) == 0 else {
            throw MosquittoError(output: "openssl \(arguments) failed")
        }
    }
}
