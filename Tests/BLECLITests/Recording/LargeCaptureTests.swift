import Foundation
import Glibc
import TestTraits
import Testing

@testable import ble_cli

/// Runs `ble-cli import` as a process with captures of many megabytes. `scripts/mutated-files` imports larger ones.
@Suite(.timeLimit(.minutes(5)))
struct LargeCaptureTests {
    /// A recording of a device with a link, in btsnoop.
    private static let recording: [UInt8] = {
        let file = RecordedFile()
        CommandHarness().run(file.verb("OUT.btsnoop", .part("thermo"), for: .seconds(6)))
        return file.bytes
    }()
    /// The start of a capture.
    static let header = Array(recording.prefix(16))
    /// The records of the recording, repeated until they have a megabyte.
    static let megabyte: [UInt8] = {
        let records = recording.dropFirst(header.count)
        var bytes: [UInt8] = []
        while bytes.count < 1 << 20 { bytes += records }
        return bytes
    }()
    /// The largest peak memory that is allowed, in kilobytes.
    private static let limit = 64 * 1024

    /// Imports a file that arrives in a pipe: a start, and repetitions of a part.
    ///
    /// - Returns: The peak memory of ble-cli in kilobytes, when it has read nearly all of the file.
    private func importing(_ start: [UInt8], _ part: [UInt8], count: Int) async throws -> Int {
        var peak: Int?
        try await withFolder { folder in
            let path = folder + "/pipe"
            unsafe mkfifo(path, 0o600)
            // The program can open its end only while another one is open.
            let first = unsafe open(path, O_RDWR | O_CLOEXEC)
            let program = CLIProcess(list: ["import", "-"], input: path)
            let pipe = unsafe open(path, O_WRONLY | O_CLOEXEC)
            close(first)
            // F_SETPIPE_SZ, which Swift does not import: when the last byte is written, at most 4 kB are unread.
            _ = fcntl(pipe, 1031, 4096)
            let data = (start: Data(start), part: Data(part))
            let isWritten = await ChildProcess.onThread {
                Self.blockBrokenPipe()
                let file = FileHandle(fileDescriptor: pipe, closeOnDealloc: false)
                do {
                    try file.write(contentsOf: data.start)
                    for _ in 0..<count { try file.write(contentsOf: data.part) }
                    return true
                } catch {
                    return false
                }
            }
            peak = program.peakMemory
            close(pipe)
            let end = await program.end()
            #expect(isWritten && end.code == 0, "\(end.errors)")
            #expect(end.output.contains("Thermometer"))
        }
        return try #require(peak)
    }

    /// A program that ends early fails the write, and not the process of the tests. The thread belongs to the write.
    private static func blockBrokenPipe() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    @Test(.proves(.S139)) func `The memory of an import does not depend on the size of the capture`() async throws {
        let small = try await importing(Self.header, Self.megabyte, count: 4)
        let large = try await importing(Self.header, Self.megabyte, count: 8)
        #expect(small < Self.limit && large < Self.limit, "\(small) kB and \(large) kB")
        #expect(large - small < 2 * 1024, "\(small) kB and \(large) kB")
    }

    @Test(.proves(.S139)) func `A small gzip file that becomes a large capture needs little memory`() async throws {
        let member = try ImportArchiveTests.gzip(Self.megabyte)
        #expect(member.count < Self.megabyte.count / 10)
        let peak = try await importing(try ImportArchiveTests.gzip(Self.header), member, count: 8)
        #expect(peak < Self.limit, "\(peak) kB")
    }
}
