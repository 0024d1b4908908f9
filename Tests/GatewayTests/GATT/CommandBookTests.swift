import FoundationEssentials
import RxBluetooth
import Testing

@testable import Gateway

@Suite struct CommandBookTests {
    private let hall: BluetoothAddress = "C0:FF:EE:00:00:01"
    private let attic: BluetoothAddress = "C0:FF:EE:00:00:02"

    private func read(_ id: String) -> [UInt8] { Array(#"{"id":"\#(id)","read":"2A19"}"#.utf8) }

    private func other(_ id: String) -> [UInt8] { Array(#"{"id":"\#(id)","read":"2A38"}"#.utf8) }

    private func receive(
        _ book: inout CommandBook, _ payload: [UInt8], for address: BluetoothAddress, isRetained: Bool = false,
        at now: Duration = .zero
    ) -> CommandBook.Admission {
        let message = ReceivedMessage(topic: "t", payload: payload, isRetained: isRetained)
        return book.receive(message, for: address, now: now, time: Date(timeIntervalSince1970: 1_700_000_000))
    }

    private func refusal(_ admission: CommandBook.Admission) -> String? {
        if case .refused(_, let failure) = admission { failure.kind } else { nil }
    }

    @Test func `Only devices of the configuration accept commands`() {
        var book = CommandBook(allowed: [hall])
        #expect(refusal(receive(&book, read("1"), for: attic)) == "unknown-device")
        #expect(refusal(receive(&book, read("1"), for: hall)) == nil)
        #expect(book.count == 1)
    }

    @Test func `The answer for an unknown device has the id of the command`() {
        var book = CommandBook(allowed: [hall])
        let answers = [read("7"), Array("no JSON".utf8)].map {
            receive(&book, $0, for: attic)
        }
        let ids = answers.map { if case .refused(let id, _) = $0 { id } else { "accepted" } }
        #expect(ids == ["7", nil])
    }

    @Test func `Retained and empty messages are ignored`() {
        var book = CommandBook(allowed: [hall])
        #expect(receive(&book, read("1"), for: hall, isRetained: true) == .ignored)
        #expect(receive(&book, [], for: hall) == .ignored)
        #expect(book.count == 0)
    }

    @Test func `Hostile payloads get an answer and take no place`() {
        var book = CommandBook(allowed: [hall])
        let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 16_000)
        let huge = [UInt8](repeating: UInt8(ascii: "1"), count: 1 << 20)
        for payload in [bomb, huge, [0xFF], Array("null".utf8)] {
            #expect(refusal(receive(&book, payload, for: hall)) != nil)
        }
        #expect(book.count == 0)
    }

    @Test func `A command with a known id is executed once`() {
        var book = CommandBook(allowed: [hall, attic])
        _ = receive(&book, read("1"), for: hall)
        #expect(receive(&book, read("1"), for: hall) == .ignored)
        // Another device has its own ids.
        #expect(refusal(receive(&book, read("1"), for: attic)) == nil)
        book.finish("1", of: hall)
        book.finish("1", of: hall)
        #expect(book.count == 1)
        // The broker may deliver the message again after the result.
        #expect(receive(&book, read("1"), for: hall) == .ignored)
        #expect(refusal(receive(&book, other("1"), for: hall)) == "duplicate")
        #expect(book.count == 1)
    }

    @Test func `A full queue answers that it is busy`() {
        var limits = CommandBook.Limits()
        limits.perDevice = 2
        limits.total = 3
        var book = CommandBook(allowed: [hall, attic], limits: limits)
        for id in ["1", "2"] { _ = receive(&book, read(id), for: hall) }
        #expect(refusal(receive(&book, read("3"), for: hall)) == "gateway-busy")
        _ = receive(&book, read("1"), for: attic)
        #expect(refusal(receive(&book, read("2"), for: attic)) == "gateway-busy")
        book.finish("1", of: hall)
        // A refused command may be sent again with the same id.
        #expect(refusal(receive(&book, read("3"), for: hall)) == nil)
    }

    @Test func `Ids are forgotten after twice the maximum age, except for the newest`() {
        var limits = CommandBook.Limits()
        limits.remembered = 4
        var book = CommandBook(allowed: [hall], limits: limits)
        for id in 0..<100 {
            #expect(refusal(receive(&book, read("\(id)"), for: hall, at: .seconds(id))) == nil)
            book.finish("\(id)", of: hall)
        }
        #expect(refusal(receive(&book, other("40"), for: hall, at: .seconds(100))) == "duplicate")
        #expect(refusal(receive(&book, other("30"), for: hall, at: .seconds(100))) == nil)
        book.finish("30", of: hall)
        // A day later, the newest are still known.
        #expect(refusal(receive(&book, read("new"), for: hall, at: .seconds(86_400))) == nil)
        #expect(refusal(receive(&book, other("99"), for: hall, at: .seconds(86_400))) == "duplicate")
        #expect(refusal(receive(&book, other("97"), for: hall, at: .seconds(86_400))) == nil)
    }

    @Test func `When too many ids are remembered, commands are refused until some are forgotten`() {
        var limits = CommandBook.Limits()
        (limits.remembered, limits.mostRemembered) = (2, 5)
        let used = (0..<3).map { UsedIdentifier(address: hall, id: "\($0)", fingerprint: 0) }
        var book = CommandBook(allowed: [hall], limits: limits, used: used, now: .seconds(10))
        for id in ["3", "4"] { #expect(refusal(receive(&book, read(id), for: hall, at: .seconds(11))) == nil) }
        #expect(refusal(receive(&book, read("5"), for: hall, at: .seconds(70))) == "gateway-busy")
        #expect(refusal(receive(&book, other("0"), for: hall, at: .seconds(70))) == "duplicate")
        #expect(refusal(receive(&book, read("5"), for: hall, at: .seconds(71))) == nil)
    }

    @Test func `A command whose id was not stored may be sent again`() {
        var book = CommandBook(allowed: [hall])
        _ = receive(&book, read("1"), for: hall)
        book.forget("1", of: hall)
        #expect(book.count == 0)
        #expect(refusal(receive(&book, other("1"), for: hall)) == nil)
        #expect(book.count == 1)
    }

    @Test func `Ids of commands that were not stored take no room`() {
        var limits = CommandBook.Limits()
        limits.mostRemembered = 2
        var book = CommandBook(allowed: [hall], limits: limits)
        for id in ["1", "2", "3"] {
            #expect(refusal(receive(&book, read(id), for: hall)) == nil)
            book.forget(id, of: hall)
        }
        #expect(refusal(receive(&book, read("4"), for: hall)) == nil)
    }

    @Test func `A command that was sent again is remembered from its second time on`() {
        var limits = CommandBook.Limits()
        limits.remembered = 2
        var book = CommandBook(allowed: [hall], limits: limits)
        _ = receive(&book, read("1"), for: hall)
        book.forget("1", of: hall)
        #expect(refusal(receive(&book, read("1"), for: hall, at: .seconds(50))) == nil)
        book.finish("1", of: hall)
        // The room for two ids is full, and an id of the beginning would be too old.
        for id in ["2", "3"] { #expect(refusal(receive(&book, read(id), for: hall, at: .seconds(70))) == nil) }
        #expect(refusal(receive(&book, other("1"), for: hall, at: .seconds(70))) == "duplicate")
    }
}
