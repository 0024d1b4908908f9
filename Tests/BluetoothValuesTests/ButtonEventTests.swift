import Testing

@testable import BluetoothValues

/// Codes of buttons and dimmers.
struct ButtonEventTests {
    private func events(_ digits: String) throws -> [SensorEvent] {
        try BTHome(.service(0xFCD2, HexText.bytes(digits) ?? [])).reading.events
    }

    @Test func `A held button of Shelly's earlier firmware is held`() throws {
        #expect(try events("403afe") == [.button(index: 1, .hold)])
        #expect(try events("403a003afe3a01") == [.button(index: 2, .hold), .button(index: 3, .press)])
    }

    @Test func `A code that BTHome does not define is an event of its own`() throws {
        for code in UInt8.min...UInt8.max {
            let events = try BTHome(.service(0xFCD2, [0x40, 0x3A, code])).reading.events
            #expect(events.count == (code == 0 ? 0 : 1), "\(code)")
        }
        #expect(try events("403a07") == [.other("button 1", code: 7)])
        #expect(try events("403c0305") == [.other("dimmer 1", code: 3)])
        #expect(try events("403c0005") == [])
    }

    @Test func `A held button is sent with the code of BTHome`() {
        #expect(BTHome.Object.button(.hold).bytes == [0x80])
    }

    @Test func `An unknown press of a Xiaomi switch is an event of its own`() throws {
        let frame = MiBeacon(product: 0x1C10, objects: [.init(0x4E0C, [99])])
        #expect(frame.reading.events == [.other("button 1", code: 99)])
    }
}
