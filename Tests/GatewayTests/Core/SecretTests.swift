import Gateway
import Testing

@Suite struct SecretTests {
    @Test func `A secret does not appear in descriptions`() {
        var settings = BrokerSettings()
        settings.password = Secret("hunter2")

        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!"\(settings)\(dumped)\(String(reflecting: settings))".contains("hunter2"))
    }
}
