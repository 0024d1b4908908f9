import Gateway
import Testing

struct WarningTests {
    private func warnings(_ change: (inout GatewayConfiguration) -> Void) -> [String] {
        var configuration = GatewayConfiguration()
        configuration.broker.host = "mqtt.example.org"
        configuration.broker.user = "me"
        configuration.broker.password = Secret("secret")
        change(&configuration)
        return configuration.warnings
    }

    @Test func `A password that would leave the host without TLS is a warning`() {
        #expect(
            warnings { _ in } == [
                "the password of the broker would be sent to mqtt.example.org without encryption; write tls: true in "
                    + "broker"
            ])
        #expect(warnings { $0.broker.tls = BrokerSettings.TLS() } == [])
        #expect(warnings { $0.broker.password = nil } == [])
        for host in ["localhost", "127.0.0.1", "::1"] { #expect(warnings { $0.broker.host = host } == []) }
    }
}
