import RxBluetooth
import Testing

@testable import Gateway

@Suite struct GATTCommandTests {
    private func command(_ text: String) throws -> GATTCommand {
        try GATTCommand(json: try JSONParser.parse(Array(text.utf8)))
    }

    private func attribute(_ uuid: BluetoothUUID, _ service: BluetoothUUID? = nil) -> GATTCommand.Attribute {
        GATTCommand.Attribute(uuid: uuid, service: service)
    }

    @Test func `A read is a command with one step`() throws {
        let command = try command(#"{"id":"1","read":"2A19","service":"180F"}"#)
        #expect(command.id == "1" && command.deadline == .seconds(30))
        #expect(command.steps == [.read(attribute("2A19", "180F"))])
        #expect(try self.command(#"{"id":17,"read":"2A19"}"#).id == "17")
    }

    @Test(arguments: [
        (#""""#, "is invalid"), ("\"\(String(repeating: "x", count: 66))\"", "is invalid"),
        (String(repeating: "1", count: 23), "is invalid"), ("1.5", "is invalid"), ("null", "is invalid"),
        (nil, "is missing"),
    ])
    func `An identifier that a result cannot repeat is refused`(json: String?, problem: String) throws {
        let member = json.map { "\"id\":\($0)," } ?? ""
        let failure = try #require(throws: CommandFailure.self) { try command("{\(member)\"read\":\"2A19\"}") }
        #expect(
            failure.text == "“id” \(problem); give a text of 1 to 64 bytes, or a whole number of at most 15 digits")
    }

    @Test(arguments: [
        (#""value":"01""#, [UInt8(1)]), (#""value":"01 fF:00-7a""#, [1, 0xFF, 0, 0x7A]), (#""value":"""#, []),
        (#""text":"on""#, [0x6F, 0x6E]), (#""typed":1"#, [1]), (#""typed":{"Heart Rate Control Point":1}"#, [1]),
    ])
    func `A value is hexadecimal digits, text, or typed`(json: String, bytes: [UInt8]) throws {
        let command = try command(#"{"id":"1","write":"2A39",\#(json)}"#)
        #expect(command.steps == [.write(attribute("2A39"), bytes, withResponse: nil)])
    }

    @Test func `A typed field with alternatives is encoded as its flags require`() throws {
        let short = try command(#"{"id":"1","write":"2A37","typed":{"Flags":0,"Heart Rate":60}}"#)
        #expect(short.steps == [.write(attribute("2A37"), [0, 60], withResponse: nil)])
        let long = try command(#"{"id":"1","write":"2A37","typed":{"Flags":1,"Heart Rate":300}}"#)
        #expect(long.steps == [.write(attribute("2A37"), [1, 0x2C, 1], withResponse: nil)])
    }

    @Test func `A medical number has its digits, as many as fit`() throws {
        for (number, bytes) in [
            ("36.67", [0, 0x53, 0x0E, 0, 0xFE]), ("-9223372036854775808", [0, 0x1F, 0xED, 0xF1, 0x0D]),
        ]
            as [(String, [UInt8])]
        {
            let command = try command(
                #"{"id":"1","write":"2A1C","typed":{"Flags":0,"Temperature":\#(number)}}"#)
            #expect(command.steps == [.write(attribute("2A1C"), bytes, withResponse: nil)])
        }
    }

    @Test func `A number with another meaning is null`() throws {
        for (uuid, bytes) in [("2B13", [0xFE]), ("2AE8", [0, 0, 0xC0, 0x7F]), ("2B05", [0xFE, 0xFF, 0xFF])]
            as [(BluetoothUUID, [UInt8])]
        {
            let fields = try #require(TypedAttribute.decode(bytes, of: uuid))
            #expect(fields.map(\.value.json) == [.null])
        }
        #expect(TypedAttribute.decode([85], of: "2A19")?.map(\.value.json) == [.number(85)])
    }

    @Test func `Steps have their own options`() throws {
        let text = #"""
            {"id":"a","deadline":"20s","steps":[{"write":"2A39","value":"01","response":false},
            {"wait":"2A37","within":"500ms"},{"read":"2A38"},{"wait":"2A37"}]}
            """#
        let command = try command(text)
        #expect(command.deadline == .seconds(20))
        #expect(
            command.steps == [
                .write(attribute("2A39"), [1], withResponse: false),
                .wait(attribute("2A37"), within: .milliseconds(500)), .read(attribute("2A38")),
                .wait(attribute("2A37"), within: .seconds(5)),
            ])
    }

    @Test(arguments: [
        "[]", "1", "{}", #"{"id":"1"}"#, #"{"read":"2A19"}"#, #"{"id":"","read":"2A19"}"#, #"{"id":1.5,"read":"2A19"}"#,
        #"{"id":null,"read":"2A19"}"#, #"{"id":"1","read":"battery"}"#, #"{"id":"1","read":"2A1"}"#,
        #"{"id":"1","read":17}"#, #"{"id":"1","read":"2A19","write":"2A19","value":""}"#,
        #"{"id":"1","read":"2A19","value":"01"}"#, #"{"id":"1","read":"2A19","within":"5s"}"#,
        #"{"id":"1","write":"2A39"}"#, #"{"id":"1","write":"2A39","value":"1"}"#,
        #"{"id":"1","write":"2A39","value":"zz"}"#, #"{"id":"1","write":"2A39","value":1}"#,
        #"{"id":"1","write":"2A39","value":"01","text":"a"}"#, #"{"id":"1","write":"2A39","typed":"x"}"#,
        #"{"id":"1","write":"2A39","typed":[[1]]}"#, #"{"id":"1","write":"2A39","typed":{"Wrong":1}}"#,
        #"{"id":"1","write":"FFF1","typed":1}"#, #"{"id":"1","write":"2A39","value":"01","response":1}"#,
        #"{"id":"1","wait":"2A37","within":"-5s"}"#, #"{"id":"1","wait":"2A37","within":"5"}"#,
        #"{"id":"1","wait":"2A37","within":"1h"}"#, #"{"id":"1","wait":"2A37","within":true}"#,
        #"{"id":"1","read":"2A19","deadline":"121s"}"#, #"{"id":"1","read":"2A19","deadline":0}"#,
        #"{"id":"1","read":"2A19","deadline":1e300}"#, #"{"id":"1","read":"2A19","deadline":"nans"}"#,
        #"{"id":"1","steps":[]}"#, #"{"id":"1","steps":{}}"#, #"{"id":"1","steps":[1]}"#,
        #"{"id":"1","steps":[{"read":"2A19","id":"2"}]}"#, #"{"id":"1","steps":[{"read":"2A19"}],"read":"2A19"}"#,
        #"{"id":"1","read":"2A19","unknown":1}"#,
    ])
    func `Other commands are refused`(text: String) {
        #expect { try command(text) } throws: { ($0 as? CommandFailure)?.kind == "invalid-command" }
    }

    @Test func `A refused step is named by its number`() {
        #expect { try command(#"{"id":"1","steps":[{"read":"2A19"},{"read":"x"}]}"#) } throws: {
            ($0 as? CommandFailure)?.step == 1
        }
    }

    @Test func `Too long values and too many steps are refused`() {
        let value = String(repeating: "00", count: 513)
        #expect(throws: CommandFailure.self) { try command(#"{"id":"1","write":"FFF1","value":"\#(value)"}"#) }
        let steps = Array(repeating: #"{"read":"2A19"}"#, count: 33).joined(separator: ",")
        #expect(throws: CommandFailure.self) { try command(#"{"id":"1","steps":[\#(steps)]}"#) }
        let id = String(repeating: "x", count: 65)
        #expect(throws: CommandFailure.self) { try command(#"{"id":"\#(id)","read":"2A19"}"#) }
    }

    // The specification of a body composition has 13 optional fields of which each number has four meanings.
    @Test func `Many typed fields do not take long`() {
        let fields = ["Flags", "Body Fat Percentage", "User ID", "Basal Metabolism", "Muscle Percentage", "Weight"]
        let json = JSONNode.object(fields.map { JSONNode.Member($0, .number(1)) })
        #expect(throws: CommandFailure.self) { try TypedAttribute.encode(json, of: "2A9C") }
    }
}
