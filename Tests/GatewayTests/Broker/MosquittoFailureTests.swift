import Glibc
import Testing

@testable import Gateway

@Suite struct MosquittoFailureTests {
    private func failure(isSecured: Bool) -> MosquittoFailure {
        var settings = BrokerSettings()
        if isSecured { settings.tls = BrokerSettings.TLS() }
        return MosquittoFailure(settings: settings, errors: [], certificateProblem: nil)
    }

    // MOSQ_ERR_ERRNO is 14, and MOSQ_ERR_CONN_LOST is 7.
    @Test(arguments: [ECONNRESET, EPIPE, EPROTO])
    func `A reset during the handshake names the certificate of the gateway`(_ code: Int32) {
        let text = String(describing: failure(isSecured: true).connecting(result: 14, code: code))
        #expect(text.contains("check that this port uses TLS"))
        #expect(text.hasSuffix("whether it refused the certificate of the gateway"))
    }

    @Test func `An end before the handshake is complete names the certificate of the gateway`() {
        let text = String(describing: failure(isSecured: true).closed(code: 7, isEstablished: false))
        #expect(text.hasSuffix("whether it refused the certificate of the gateway"))
    }

    @Test func `An end without TLS does not name a certificate`() {
        let text = String(describing: failure(isSecured: false).closed(code: 7, isEstablished: false))
        #expect(text.hasSuffix("check that this port does not need TLS"))
        let reset = String(describing: failure(isSecured: false).connecting(result: 14, code: ECONNRESET))
        #expect(reset.hasSuffix("Connection reset by peer; check the network"))
    }
}
