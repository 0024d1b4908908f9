import Gateway
import Testing

/// The files of TLS that a configuration names.
struct TLSFileTests {
    private let files: SecretFiles

    init() throws { files = try SecretFiles() }

    private func mistakes(_ name: String, _ text: String) throws -> [String] {
        try files.write("certificate", "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n", mode: 0o600)
        try files.write("key", "-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----\n", mode: 0o600)
        try files.write(name, text, mode: 0o600)
        let path = try files.write(
            "c.yaml",
            "broker:\n  tls:\n    authorities: ca\n    certificate: certificate\n    key: key\n", mode: 0o600)
        do throws(ConfigurationError) {
            _ = try GatewayConfiguration(file: path)
            return []
        } catch {
            return error.mistakes.map { $0.description.replacing(files.path + "/", with: "") }
        }
    }

    @Test(arguments: ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"])
    func `A key in PEM is accepted, also after other text`(_ kind: String) throws {
        try files.write("ca", "-----BEGIN TRUSTED CERTIFICATE-----\n", mode: 0o644)
        #expect(try mistakes("key", "Bag Attributes\n-----BEGIN \(kind)-----\nMA==\n").isEmpty)
    }

    @Test func `Only the first key counts, and no comment`() throws {
        try files.write("ca", "-----BEGIN CERTIFICATE-----\n", mode: 0o644)
        let text = """
            # ENCRYPTED backup below
            -----BEGIN PRIVATE KEY-----
            MA==
            -----END PRIVATE KEY-----
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MA==
            -----END ENCRYPTED PRIVATE KEY-----
            """
        #expect(try mistakes("key", text).isEmpty)
    }

    @Test(arguments: [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMA==\n",
        "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nMA==\n",
    ])
    func `An encrypted key is refused with what to do`(_ text: String) throws {
        try files.write("ca", "-----BEGIN CERTIFICATE-----\n", mode: 0o644)
        #expect(
            try mistakes("key", text) == [
                "line 5: the key in key is encrypted, and the gateway asks for no password; "
                    + "remove the encryption with openssl pkey -in key -out FILE"
            ])
    }

    @Test(arguments: [
        ("key", "hunter2", "line 5: key has no private key in PEM; name a file with -----BEGIN PRIVATE KEY-----"),
        ("key", "-----BEGIN CERTIFICATE-----\n", "line 5: key has no private key in PEM; name a file with"),
        ("ca", "", "line 3: ca has no certificate in PEM; name a file with -----BEGIN CERTIFICATE-----"),
        ("ca", "-----BEGIN PRIVATE KEY-----\n", "line 3: ca has no certificate in PEM; name a file with"),
        ("certificate", "hunter2", "line 4: certificate has no certificate in PEM; name a file with"),
    ])
    func `A file that is not PEM is refused`(_ name: String, _ text: String, _ expected: String) throws {
        try files.write("ca", "-----BEGIN CERTIFICATE-----\n", mode: 0o644)
        let mistakes = try mistakes(name, text)
        #expect(mistakes.count == 1 && mistakes.first?.hasPrefix(expected) == true, "\(mistakes)")
        #expect(!mistakes.joined().contains("hunter2"))
    }
}
