import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// `read` and `write`.
struct ValueVerbTests {
    private let strap = Target.address("C0:FF:EE:00:00:01")
    private let twins = Target.address("C0:FF:EE:00:00:05")

    @Test func `reads a value as hexadecimal, and beside it what it says where that is known`() {
        #expect(Bench().run(ReadVerb(target: strap, choice: .uuid(0x2A19))).lines == ["57  87 %"])
        #expect(Bench().run(ReadVerb(target: strap, choice: .uuid(0x2A39))).lines == ["00"])
    }

    @Test func `reads a value as JSON`() throws {
        let outcome = Bench().run(ReadVerb(target: strap, choice: .uuid(0x2A19)), .asJSON)
        let object = try #require(ParsedJSON(outcome.lines.first ?? ""))
        #expect(object.keys == ["time", "address", "characteristic", "handle", "value"])
        #expect(object["value"]?.string == "57")
        #expect(object["characteristic"]?.string == "2A19")
        #expect(object["address"]?.string == "C0:FF:EE:00:00:01")
        #expect(object["time"]?.string?.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil)
    }

    @Test func `writes silently, and the value is read again`() {
        let bench = Bench()
        let written = bench.run(WriteVerb(target: strap, choice: .uuid(0x2A39), value: [0x2A]))
        #expect(written.code == .done)
        #expect(written.lines.isEmpty)
        #expect(written.errors.isEmpty)
        #expect(bench.run(ReadVerb(target: strap, choice: .uuid(0x2A39))).lines == ["2a"])
        bench.run(WriteVerb(target: strap, choice: .uuid(0x2A39), value: [0x2B], type: .withoutResponse))
        #expect(bench.run(ReadVerb(target: strap, choice: .uuid(0x2A39))).lines == ["2b"])
        #expect(bench.calls("Connect") == 4)
        #expect(bench.calls("Disconnect") == 4)
    }

    @Test func `tells of a write in JSON`() throws {
        let verb = WriteVerb(target: strap, choice: .uuid(0x2A39), value: [0x2A, 0xFF], type: .withoutResponse)
        let object = try #require(ParsedJSON(Bench().run(verb, .asJSON).lines.first ?? ""))
        #expect(object["value"]?.string == "2aff")
        #expect(object["response"]?.bool == false)
    }

    @Test func `a UUID that stands twice wants a handle, and lists them in one line`() {
        let outcome = Bench().run(ReadVerb(target: twins, choice: .uuid(0xFFD1)))
        #expect(outcome.code == .usage)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("@000b (service FFD0), @000e (service FFD0)") == true)
        #expect(Bench().run(ReadVerb(target: twins, choice: .handle(0x000B))).lines == ["0b"])
        #expect(Bench().run(ReadVerb(target: twins, choice: .handle(0x000E))).lines == ["16"])
    }

    @Test(arguments: [CharacteristicChoice.uuid(0x2A6E), .handle(0x1234)])
    func `a characteristic that is not there is not found, and what is there is listed`(choice: CharacteristicChoice) {
        let outcome = Bench().run(ReadVerb(target: twins, choice: choice))
        #expect(outcome.code == .notFound)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("It has") == true)
    }

    @Test func `what a characteristic does not offer fails`() {
        #expect(Bench().run(ReadVerb(target: strap, choice: .uuid(0x2A05))).code == .failed)
        #expect(Bench().run(WriteVerb(target: twins, choice: .handle(0x000B), value: [1])).code == .failed)
        #expect(Bench().run(NotifyVerb(target: twins, choice: .handle(0x000B))).code == .failed)
    }
}
