import Glibc

/// Why a connection failed or ended, with advice.
struct BrokerConnectionFailure {
    let settings: BrokerSettings

    private var place: String { "\(settings.host):\(settings.effectivePort)" }

    /// The attempt did not reach the broker.
    func connecting(_ problem: HostConnector.Problem) -> BrokerFailure {
        switch problem {
        case .nameNotFound:
            unreachable("the name was not found; check the host name and the network's name service")
        case .system(ECONNREFUSED):
            unreachable("connection refused; check that the broker runs and listens on this port")
        case .system(let code): unreachable("\(Self.text(of: code)); check the network")
        }
    }

    /// The gateway ended the connection, or the broker announced the end.
    func ended(_ ending: MQTTSession.Ending) -> BrokerFailure {
        switch ending {
        case .requested: BrokerFailure(.requested, "the connection was closed on request")
        case .notAnswered:
            BrokerFailure(
                .unreachable,
                "\(place) did not answer within \(MQTTSession.acceptTimeout.components.seconds) s; \(portAdvice)")
        case .refused(let reason): refused(reason)
        case .withoutConfirmation:
            BrokerFailure(
                .refused,
                "\(place) accepts only QoS 0, with which readings get lost; allow QoS 1 in the broker (maximum QoS)")
        // An alert of TLS begins with 0x15.
        case .notMQTT(0x15) where settings.tls == nil: closedBeforeAccepted
        case .notMQTT:
            BrokerFailure(.protocolError, "the answer of \(place) is not MQTT; check the host and the port")
        case .violated(let violation):
            BrokerFailure(
                .protocolError,
                "\(place) broke the rules of MQTT, so the connection was closed: \(violation.text); check the broker")
        case .silent: lost("no answer for the keep-alive time")
        case .announced(let reason): closed(by: reason)
        }
    }

    /// The connection ended without a packet that announced it.
    ///
    /// - Parameter code: The error code of the system; nil for an orderly end.
    func lost(code: Int32?, isAccepted: Bool) -> BrokerFailure {
        guard isAccepted else { return closedBeforeAccepted }
        return lost(code.map(Self.text(of:)) ?? "the broker closed it")
    }

    /// TLS failed.
    func failed(_ problem: TLSFilter.Problem, isAccepted: Bool) -> BrokerFailure {
        let reasons = problem.reasons
        guard !isAccepted else { return lost("TLS failed: \(reasons.first ?? "no reason")") }
        if let certificateProblem = problem.certificateProblem { return invalid(certificateProblem) }
        let reason = reasons.first { $0.contains("alert") } ?? reasons.first ?? "the handshake failed"
        guard reason.contains("alert") else {
            return BrokerFailure(
                .certificate, "TLS with \(place) failed: \(reason); check the files of TLS and the port")
        }
        return BrokerFailure(
            .certificate,
            "\(place) refused the certificate of the gateway: \(reason); check the certificate and its authority")
    }

    private func invalid(_ certificateProblem: String) -> BrokerFailure {
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

    private func refused(_ reason: MQTTReason) -> BrokerFailure {
        let text = reason.code < 0x80 ? reason.connectText : reason.text
        let advice: String
        switch reason.code {
        case 1, 0x84: advice = "set the version of MQTT to \(settings.version == .v5 ? "3.1.1" : "5")"
        case 2, 0x85: advice = "choose another client identifier"
        case 4, 5, 0x86, 0x87: advice = "check the user name, the password and the access rights in the broker"
        case 3, 0x88, 0x89, 0x97, 0x9F: return unreachable("the broker is not available: \(text)")
        case 0x9A:
            return unreachable(
                "\(text); the next attempt has a last will that is not retained; allow retained messages in the broker")
        case 0x9B: return ended(.withoutConfirmation)
        default: advice = "see the log of the broker"
        }
        return BrokerFailure(.refused, "\(place) refused the connection: \(text); \(advice)")
    }

    private func closed(by reason: MQTTReason) -> BrokerFailure {
        let advice = reason.code == 0x8E ? "; give each gateway a name of its own" : ""
        let text = reason.code == 0 ? "without a reason" : reason.text
        return BrokerFailure(
            reason.code == 0x8E ? .takenOver : .unreachable, "\(place) closed the connection: \(text)\(advice)")
    }

    private var closedBeforeAccepted: BrokerFailure {
        BrokerFailure(.unreachable, "\(place) closed the connection before it was accepted; \(portAdvice)")
    }

    private var portAdvice: String {
        settings.tls == nil
            ? "check that this port does not need TLS"
            : "check that this port uses TLS, and in the broker's log whether it refused the certificate of the gateway"
    }

    private func lost(_ text: String) -> BrokerFailure {
        BrokerFailure(.unreachable, "the connection to \(place) was lost: \(text)")
    }

    private func unreachable(_ text: String) -> BrokerFailure {
        BrokerFailure(.unreachable, "connecting to \(place) failed: \(text)")
    }

    private static func text(of code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

extension BrokerSettings {
    var effectivePort: UInt16 { port ?? (tls == nil ? 1883 : 8883) }
}
