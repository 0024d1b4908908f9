import Gateway
import Testing

@Suite(needsMosquitto, .serialized, .timeLimit(.minutes(5))) struct MosquittoTLSTests {
    private func failure(
        server: String, requiresClient: Bool = false, version: BrokerSettings.Version = .v5, authority: String? = "ca",
        client: String? = nil, host: String = "localhost"
    ) async throws -> String {
        let certificates = try TestCertificates()
        let mosquitto = try MosquittoProcess(certificates.lines(server: server, requiresClient: requiresClient))
        defer { mosquitto.kill() }
        var settings = mosquitto.settings
        settings.version = version
        settings.host = host
        settings.tls = certificates.tls(authority: authority, client: client)
        return await GatewayTests.failure(settings)
    }

    @Test(arguments: [BrokerSettings.Version.v311, .v5])
    func `A connection with certificates of both sides works`(_ version: BrokerSettings.Version) async throws {
        #expect(
            try await failure(server: "server", requiresClient: true, version: version, client: "client") == "connected"
        )
    }

    @Test func `An unknown authority is reported`() async throws {
        let text = try await failure(server: "server", authority: "other-ca")
        #expect(text.hasPrefix("certificate: the certificate of localhost:"))
        #expect(text.hasSuffix("name the authority that signed it in the configuration"))
        #expect(try await failure(server: "server", authority: nil).hasPrefix("certificate: the certificate of"))
    }

    @Test func `An expired certificate is reported`() async throws {
        let text = try await failure(server: "expired")
        #expect(text.hasSuffix("certificate has expired; renew it, and check the clocks"), "\(text)")
    }

    @Test func `A certificate for another host is reported`() async throws {
        let text = try await failure(server: "elsewhere")
        #expect(text.hasPrefix("certificate: "), "\(text)")
        #expect(text.contains("ostname mismatch; use a host name that"), "\(text)")
    }

    @Test func `An address is compared with the addresses of the certificate`() async throws {
        #expect(try await failure(server: "address", host: "127.0.0.1") == "connected")
        let text = try await failure(server: "server", host: "127.0.0.1")
        #expect(text.hasSuffix("IP address mismatch; use a host name that the certificate contains"), "\(text)")
    }

    @Test(arguments: ["stranger", nil])
    func `A wrong or missing certificate of the gateway is reported`(_ client: String?) async throws {
        let text = try await failure(server: "server", requiresClient: true, client: client)
        #expect(text.contains("refused the certificate of the gateway"), "\(text)")
    }

    @Test func `A missing file is reported`() async throws {
        var settings = BrokerSettings()
        settings.tls = BrokerSettings.TLS()
        settings.tls?.authorities = "/no/such/file.pem"
        #expect(
            await GatewayTests.failure(settings)
                == "certificate: reading /no/such/file.pem failed: No such file or directory; correct the path or the permissions"
        )
    }

    @Test func `An encrypted key fails without a question on the terminal`() async throws {
        let certificates = try TestCertificates()
        try certificates.encryptKey(of: "client")
        let mosquitto = try MosquittoProcess(certificates.lines(server: "server", requiresClient: true))
        defer { mosquitto.kill() }
        var settings = mosquitto.settings
        settings.tls = certificates.tls(client: "client")
        let text = await GatewayTests.failure(settings)
        #expect(text.hasPrefix("certificate: loading the key of TLS from "), "\(text)")
        #expect(text.hasSuffix("name the key of the certificate in PEM, without a password"), "\(text)")
    }

    @Test func `TLS with a port without TLS fails and the other way round too`() async throws {
        let certificates = try TestCertificates()
        let mosquitto = try MosquittoProcess()
        defer { mosquitto.kill() }
        var settings = mosquitto.settings
        settings.tls = certificates.tls()
        let text = await GatewayTests.failure(settings)
        #expect(text.contains("check that this port uses TLS") || text.hasPrefix("certificate: TLS with"), "\(text)")

        let secured = try MosquittoProcess(certificates.lines(server: "server"))
        defer { secured.kill() }
        let plain = await GatewayTests.failure(secured.settings)
        #expect(plain.hasSuffix("check that this port does not need TLS"), "\(plain)")
    }
}
