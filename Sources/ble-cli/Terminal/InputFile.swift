import Glibc

/// Files and standard input that hold a value or a script.
enum InputFile {
    /// The largest content. A value has at most 512 bytes, and a script is written by hand.
    static let longest = 1 << 20

    /// Returns the content of a file; of standard input if `path` is nil.
    @Sendable
    static func read(_ path: String?) throws(CLIError) -> [UInt8] {
        let name = path.map { "“\($0)”" } ?? "standard input"
        let descriptor = path.map { unsafe open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
        guard descriptor >= 0 else { throw failure(name, errno) }
        defer { if path != nil { close(descriptor) } }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            // Ctrl-C ends the process at once, because no command runs yet that would need an orderly end.
            let (count, code) = Signals.unblocked {
                let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
                return (count, errno)
            }
            if count < 0, code == EINTR { continue }
            guard count >= 0 else { throw failure(name, code) }
            guard count > 0 else { return content }
            content += chunk[..<count]
            guard content.count <= longest else {
                throw CLIError(
                    .usage, "Reading \(name) failed: it has more than \(longest) bytes. Give a smaller file.")
            }
        }
    }

    /// Returns the content of a file for a step. Throws if `path` is nil, because standard input has the steps.
    @Sendable
    static func readInStep(_ path: String?) throws(CLIError) -> [UInt8] {
        guard let path else {
            throw CLIError(.usage, "A step cannot read standard input. Give the value, or a file as @FILE.")
        }
        try checkInStep(path)
        return try read(path)
    }

    /// Throws if the path is a pipe or a device, because Ctrl-C does not end a step that waits for its content.
    static func checkInStep(_ path: String) throws(CLIError) {
        var status = stat()
        let isKnown = unsafe stat(path, &status) == 0
        guard isKnown, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return }
        throw CLIError(.usage, "A step cannot read “\(path)”, which is a pipe or a device. Give a file.")
    }

    private static func failure(_ name: String, _ code: Int32) -> CLIError {
        CLIError(
            .usage, "Reading \(name) failed: \(unsafe String(cString: strerror(code))). Give a file that can be read.")
    }
}
