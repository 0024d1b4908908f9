import CMosquitto
import Glibc

/// Why a connection of libmosquitto failed or ended, with advice.
struct MosquittoFailure {
    let settings: BrokerSettings
    /// What libmosquitto logged.
    let errors: [String]
    /// OpenSSL's reason why the certificate of the broker was not accepted.
    let certificateProblem: String?

    private var place: String { "\(settings.host):\(settings.effectivePort)" }

    /// The attempt did not reach the broker.
    func connecting(result: Int32, code: Int32) -> BrokerFailure {
        switch mosq_err_t(rawValue: result) {
        case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP:
            return unreachable("the name was not found; check the host name and the network's name service")
        case MOSQ_ERR_ERRNO where code == ECONNREFUSED, MOSQ_ERR_CONN_REFUSED:
            return unreachable("connection refused; check that the broker runs and listens on this port")
        case MOSQ_ERR_ERRNO where settings.tls != nil && [ECONNRESET, EPIPE, EPROTO].contains(code):
            return closedBeforeAccepted
        case MOSQ_ERR_ERRNO: return unreachable("\(unsafe String(cString: strerror(code))); check the network")
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: return certificate()
        case MOSQ_ERR_INVAL: return BrokerFailure(.refused, "connecting to \(place) failed: the settings are not valid")
        default: return unreachable(MosquittoClient.text(of: result))
        }
    }

    /// The broker answered with a code that is not success.
    func refused(code: Int32) -> BrokerFailure {
        let isVersion5 = settings.version == .v5 && code >= 0x80
        let text = isVersion5 ? MosquittoClient.text(ofReason: code) : MosquittoClient.text(ofConnectCode: code)
        let advice: String
        switch code {
        case 1, 0x84: advice = "set the version of MQTT to \(settings.version == .v5 ? "3.1.1" : "5")"
        case 2, 0x85: advice = "choose another client identifier"
        case 4, 5, 0x86, 0x87: advice = "check the user name, the password and the access rights in the broker"
        case 3, 0x88, 0x89, 0x97, 0x9F: return unreachable("the broker is not available: \(text)")
        default: advice = "see the log of the broker"
        }
        return BrokerFailure(.refused, "\(place) refused the connection: \(text); \(advice)")
    }

    /// The connection ended.
    func closed(code: Int32, isEstablished: Bool) -> BrokerFailure {
        if code == 0 { return BrokerFailure(.requested, "the connection was closed on request") }
        if settings.tls != nil, !isEstablished || code == MOSQ_ERR_TLS.rawValue,
            certificateProblem != nil || !errors.isEmpty
        {
            return certificate()
        }
        if settings.version == .v5, code >= 0x80 {
            let text = MosquittoClient.text(ofReason: code)
            return BrokerFailure(.unreachable, "\(place) closed the connection: \(text)")
        }
        if code == MOSQ_ERR_KEEPALIVE.rawValue {
            return BrokerFailure(.unreachable, "the connection to \(place) was lost: no answer for the keep-alive time")
        }
        guard isEstablished else { return closedBeforeAccepted }
        return BrokerFailure(.unreachable, "the connection to \(place) was lost: \(MosquittoClient.text(of: code))")
    }

    /// The connection ended without a reason.
    ///
    /// With TLS 1.3 the gateway sends its certificate last. If the broker resets the connection because of it,
    /// libmosquitto frees the session that is needed to read the broker's alert.
    private var closedBeforeAccepted: BrokerFailure {
        let advice =
            settings.tls == nil
            ? "check that this port does not need TLS"
            : "check that this port uses TLS, and in the broker's log whether it refused the certificate of the gateway"
        return BrokerFailure(.unreachable, "\(place) closed the connection before it was accepted; \(advice)")
    }

    private func unreachable(_ text: String) -> BrokerFailure {
        BrokerFailure(.unreachable, "connecting to \(place) failed: \(text)")
    }

    private func certificate() -> BrokerFailure {
        if errors.contains(where: { $0.contains("host name verification failed") }) {
            return BrokerFailure(
                .certificate,
                "the certificate of \(place) is not valid: hostname mismatch; use a host name that it contains")
        }
        if let certificateProblem {
            let isName = certificateProblem.contains("ostname") || certificateProblem.contains("IP address mismatch")
            let advice =
                if isName {
                    "use a host name that the certificate contains"
                } else if certificateProblem.contains("expired") || certificateProblem.contains("not yet valid") {
                    "renew it, and check the clocks"
                } else {
                    "name the authority that signed it in the configuration"
                }
            return BrokerFailure(
                .certificate, "the certificate of \(place) is not valid: \(certificateProblem); \(advice)")
        }
        // OpenSSL's lines end with the reason: error:0A00045C:SSL routines::tlsv13 alert certificate required
        let reasons = errors.compactMap { line in
            line.split(separator: ":").last.map { String($0.drop { $0 == " " }) }
        }
        let reason = reasons.first { $0.contains("alert") } ?? reasons.first ?? "the handshake failed"
        guard reason.contains("alert") else {
            return BrokerFailure(
                .certificate, "TLS with \(place) failed: \(reason); check the files of TLS and the port")
        }
        return BrokerFailure(
            .certificate,
            "\(place) refused the certificate of the gateway: \(reason); check the certificate and its authority")
    }
}
