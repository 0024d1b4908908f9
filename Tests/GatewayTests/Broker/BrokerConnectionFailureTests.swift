import Glibc
import Testing

@testable import Gateway

@Suite struct BrokerConnectionFailureTests {
    private func failure(isSecured: Bool) -> BrokerConnectionFailure {
        var settings = BrokerSettings()
        if isSecured { settings.tls = BrokerSettings.TLS() }
        return BrokerConnectionFailure(settings: settings)
    }

    @Test(arguments: [ECONNRESET, EPIPE, nil])
    func `An end during the handshake names the certificate of the gateway`(_ code: Int32?) {
        let text = failure(isSecured: true).lost(code: code, isAccepted: false).description
        #expect(text.contains("check that this port uses TLS"))
        #expect(text.hasSuffix("whether it refused the certificate of the gateway"))
    }

    @Test func `An end without TLS does not name a certificate`() {
        let text = failure(isSecured: false).lost(code: nil, isAccepted: false).description
        #expect(text.hasSuffix("check that this port does not need TLS"))
        let reset = failure(isSecured: false).connecting(.system(ECONNRESET)).description
        #expect(reset.hasSuffix("Connection reset by peer; check the network"))
    }

    @Test func `An alert about a certificate of the gateway is named`() {
        let problem = TLSFilter.Problem(reasons: ["tlsv13 alert certificate required"], certificateProblem: nil)
        let failure = failure(isSecured: true).failed(problem, isAccepted: false)
        #expect(failure.kind == .certificate)
        #expect(failure.description.contains("refused the certificate of the gateway: tlsv13 alert certificate"))
        let later = self.failure(isSecured: true).failed(problem, isAccepted: true)
        #expect(later.kind == .unreachable)
    }

    @Test(arguments: [
        ("hostname mismatch", "use a host name that the certificate contains"),
        ("certificate has expired", "renew it, and check the clocks"),
        ("self-signed certificate", "name the authority that signed it in the configuration"),
    ])
    func `A certificate of the broker that is not accepted has advice`(problem: String, advice: String) {
        let failed = TLSFilter.Problem(reasons: ["certificate verify failed"], certificateProblem: problem)
        let text = failure(isSecured: true).failed(failed, isAccepted: false).description
        #expect(text.hasSuffix("is not valid: \(problem); \(advice)"))
    }

    @Test func `A broker that refuses a retained last will is tried again soon`() {
        let refused = failure(isSecured: false).ended(.refused(.retainNotSupported))
        #expect(refused.kind == .unreachable)
        #expect(refused.description.hasSuffix("allow retained messages in the broker"))
    }

    private static let refusals: [(code: UInt8, advice: String)] = [
        (0x84, "set the version of MQTT to 3.1.1"), (0x85, "choose another client identifier"),
        (0x86, "check the user name, the password and the access rights in the broker"),
        (0x9B, "allow QoS 1 in the broker (maximum QoS)"),
    ]

    @Test(arguments: refusals)
    func `A refused connection has advice for its reason`(code: UInt8, advice: String) {
        let refused = failure(isSecured: false).ended(.refused(MQTTReason(code)))
        #expect(refused.kind == .refused)
        #expect(refused.description.hasSuffix(advice))
    }
}
