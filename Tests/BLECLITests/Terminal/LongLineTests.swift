import Foundation
import Testing

/// Lines from a pipe or a file that are too long for a step.
@Suite(.timeLimit(.minutes(5)))
struct LongLineTests {
    @Test func `A line that is too long is an error, and the shell continues with the next line`() async throws {
        let file = "\(NSTemporaryDirectory())/ble-cli-\(UUID()).steps"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let long = "decode 2A19 " + String(repeating: "5", count: 200_000)
        try Data("\(long)\ndecode 2A19 57\n\(long)".utf8).write(to: URL(fileURLWithPath: file))
        let end = await CLIProcess(list: ["shell", "--simulate"], input: file).end()
        #expect(end.lines == ["87 %"])
        #expect(end.errorLines.count == 2)
        for line in end.errorLines { #expect(line.contains("The line has more than 65536 bytes")) }
        #expect(end.errorLines.last?.contains("line 3") == true)
        #expect(end.code == 64)
    }
}
