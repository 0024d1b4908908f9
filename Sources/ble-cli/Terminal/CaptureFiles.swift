import Glibc
import Rx

/// A file to which a recording is appended. A file that exists keeps its content until the first packet.
///
/// A class, so that the file is closed when the last reference is released.
final class RecordingFile: Sendable {
    private let output: FileOutput
    private let isStandardOutput: Bool
    private let isUnchanged = Guarded(true)

    /// Opens or makes a file; standard output if `path` is “-”. Throws if it cannot be written.
    init(_ path: String) throws(CLIError) {
        isStandardOutput = path == "-"
        guard !isStandardOutput else {
            output = .standard
            guard output.isTerminal else { return }
            throw CLIError(.usage, "A recording has bytes that may control a terminal. Redirect the output.")
        }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw CLIError(.usage, "Writing “\(path)” failed: \(reason). Give a file that can be written.")
        }
        output = FileOutput(descriptor: descriptor)
    }

    deinit { if !isStandardOutput { close(output.descriptor) } }

    /// Appends bytes without buffering, in one call of the system if there is room.
    ///
    /// Throws ``OutputClosed`` if the reader has closed standard output.
    func append(_ bytes: [UInt8]) throws {
        guard !isStandardOutput else { return try output.write(bytes: bytes) }
        let isFirst = isUnchanged.withLock { isUnchanged in
            defer { isUnchanged = false }
            return isUnchanged
        }
        // Fails for a pipe or a device, which need no truncation.
        if isFirst { _ = ftruncate(output.descriptor, 0) }
        do { try output.write(bytes: bytes) } catch is OutputClosed {
            throw CLIError(.failed, "Writing the recording failed: its reader has closed it.")
        }
    }
}

/// A capture that is read in chunks, so that its size does not matter.
struct CaptureFile {
    private let name: String
    private let descriptor: Int32

    private static let chunk = 1 << 16

    /// Opens a file; standard input if `path` is “-”.
    static func read(_ path: String, _ receive: ([UInt8]) throws -> Void) throws {
        let name = path == "-" ? "standard input" : "“\(path)”"
        let descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        let file = CaptureFile(name: name, descriptor: descriptor)
        guard descriptor >= 0 else { throw file.failure(errno) }
        defer { if path != "-" { close(descriptor) } }
        while let bytes = try file.next() { try receive(bytes) }
    }

    private func next() throws(CLIError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        while true {
            let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
            let code = errno
            if count < 0, code == EINTR { continue }
            guard count >= 0 else { throw failure(code) }
            return count == 0 ? nil : Array(bytes[..<count])
        }
    }

    private func failure(_ code: Int32) -> CLIError {
        CLIError(
            .usage, "Reading \(name) failed: \(unsafe String(cString: strerror(code))). Give a file that can be read.")
    }
}
