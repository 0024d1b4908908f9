import RxBluetooth
import Testing

@testable import Gateway

@Suite struct CommandQueueTests {
    private let hall: BluetoothAddress = "C0:FF:EE:00:00:01"
    private let attic: BluetoothAddress = "C0:FF:EE:00:00:02"

    private func read(_ id: String) -> [UInt8] { Array(#"{"id":"\#(id)","read":"2A19"}"#.utf8) }

    private func other(_ id: String) -> [UInt8] { Array(#"{"id":"\#(id)","read":"2A38"}"#.utf8) }

    private func refusal(_ admission: CommandQueue.Admission) -> String? {
        if case .refused(_, let failure) = admission { failure.kind } else { nil }
    }

    @Test func `Only devices of the configuration accept commands`() {
        var queue = CommandQueue(allowed: [hall])
        #expect(refusal(queue.receive(read("1"), isRetained: false, for: attic, now: .zero)) == "unknown-device")
        #expect(refusal(queue.receive(read("1"), isRetained: false, for: hall, now: .zero)) == nil)
        #expect(queue.count == 1)
    }

    @Test func `The answer for an unknown device has the id of the command`() {
        var queue = CommandQueue(allowed: [hall])
        let answers = [read("7"), Array("no JSON".utf8)].map {
            queue.receive($0, isRetained: false, for: attic, now: .zero)
        }
        let ids = answers.map { if case .refused(let id, _) = $0 { id } else { "accepted" } }
        #expect(ids == ["7", nil])
    }

    @Test func `A withdrawn command may come back`() {
        var queue = CommandQueue(allowed: [hall])
        _ = queue.receive(read("1"), isRetained: false, for: hall, now: .zero)
        #expect(queue.withdraw("1", of: hall) && !queue.withdraw("1", of: hall))
        #expect(!queue.remembers("1", of: hall) && queue.count == 0)
        #expect(refusal(queue.receive(read("1"), isRetained: false, for: hall, now: .zero)) == nil)
        #expect(queue.count == 1)
    }

    @Test func `A withdrawn command does not shorten the memory of a later one with its id`() {
        var limits = CommandQueue.Limits()
        limits.remembered = 2
        var queue = CommandQueue(allowed: [hall], limits: limits)
        _ = queue.receive(read("1"), isRetained: false, for: hall, now: .zero)
        queue.withdraw("1", of: hall)
        _ = queue.receive(read("1"), isRetained: false, for: hall, now: .zero)
        _ = queue.receive(read("2"), isRetained: false, for: hall, now: .zero)
        #expect(queue.remembers("1", of: hall) && queue.remembers("2", of: hall))
        _ = queue.receive(read("3"), isRetained: false, for: hall, now: .zero)
        #expect(!queue.remembers("1", of: hall) && queue.remembers("2", of: hall) && queue.remembers("3", of: hall))
    }

    @Test func `Retained and empty messages are ignored`() {
        var queue = CommandQueue(allowed: [hall])
        #expect(queue.receive(read("1"), isRetained: true, for: hall, now: .zero) == .ignored)
        #expect(queue.receive([], isRetained: false, for: hall, now: .zero) == .ignored)
        #expect(queue.count == 0)
    }

    @Test func `Hostile payloads get an answer and take no place`() {
        var queue = CommandQueue(allowed: [hall])
        let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 16_000)
        let huge = [UInt8](repeating: UInt8(ascii: "1"), count: 1 << 20)
        for payload in [bomb, huge, [0xFF], Array("null".utf8)] {
            #expect(refusal(queue.receive(payload, isRetained: false, for: hall, now: .zero)) != nil)
        }
        #expect(queue.count == 0)
    }

    @Test func `A command with a known id is executed once`() {
        var queue = CommandQueue(allowed: [hall, attic])
        _ = queue.receive(read("1"), isRetained: false, for: hall, now: .zero)
        #expect(queue.receive(read("1"), isRetained: false, for: hall, now: .zero) == .ignored)
        // Another device has its own ids.
        #expect(refusal(queue.receive(read("1"), isRetained: false, for: attic, now: .zero)) == nil)
        #expect(queue.finish("1", of: hall) && !queue.finish("1", of: hall))
        // The broker may deliver the message again after the result.
        #expect(queue.receive(read("1"), isRetained: false, for: hall, now: .zero) == .ignored)
        #expect(refusal(queue.receive(other("1"), isRetained: false, for: hall, now: .zero)) == "duplicate")
        #expect(queue.count == 1)
    }

    @Test func `A full queue answers that it is busy`() {
        var limits = CommandQueue.Limits()
        limits.perDevice = 2
        limits.total = 3
        var queue = CommandQueue(allowed: [hall, attic], limits: limits)
        for id in ["1", "2"] { _ = queue.receive(read(id), isRetained: false, for: hall, now: .zero) }
        #expect(refusal(queue.receive(read("3"), isRetained: false, for: hall, now: .zero)) == "gateway-busy")
        _ = queue.receive(read("1"), isRetained: false, for: attic, now: .zero)
        #expect(refusal(queue.receive(read("2"), isRetained: false, for: attic, now: .zero)) == "gateway-busy")
        queue.finish("1", of: hall)
        // A refused command may be sent again with the same id.
        #expect(refusal(queue.receive(read("3"), isRetained: false, for: hall, now: .zero)) == nil)
    }

    @Test func `Old ids are forgotten, so memory stays bounded`() {
        var limits = CommandQueue.Limits()
        limits.remembered = 4
        var queue = CommandQueue(allowed: [hall], limits: limits)
        for id in 0..<100 {
            #expect(refusal(queue.receive(read("\(id)"), isRetained: false, for: hall, now: .zero)) == nil)
            queue.finish("\(id)", of: hall)
        }
        #expect(refusal(queue.receive(other("96"), isRetained: false, for: hall, now: .zero)) == "duplicate")
        #expect(refusal(queue.receive(read("95"), isRetained: false, for: hall, now: .zero)) == nil)
    }
}
