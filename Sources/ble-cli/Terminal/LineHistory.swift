import Glibc

/// The file with the earlier lines of a shell.
///
/// Only lines that are steps are stored, so a passkey or key that is typed by mistake is not. Passkeys and keys in the
/// options of a step are left out. A line that begins with a space is not stored either. A file that cannot be read or
/// written is ignored: a shell works without it.
struct LineHistory: Sendable {
    /// The path of the file; nil if no folder for it is known.
    let path: String?

    /// The number of lines that are kept.
    static let longest = 1_000
    /// The size from which the file is written again with the lines that are kept.
    private static let largest = 256 * 1024

    /// The file of the user: `$XDG_STATE_HOME/ble-cli/history`, by default in `~/.local/state`.
    ///
    /// Source: XDG Base Directory Specification 0.8; a path that is not absolute is ignored.
    static func ofUser(_ variable: (String) -> String?) -> LineHistory {
        if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") {
            return LineHistory(path: state + "/ble-cli/history")
        }
        guard let home = variable("HOME"), home.hasPrefix("/") else { return LineHistory(path: nil) }
        return LineHistory(path: home + "/.local/state/ble-cli/history")
    }

    /// The file of the user of this process.
    static var ofEnvironment: LineHistory {
        ofUser { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
    }

    /// Returns the stored lines, the oldest first. Lines with harmful characters are left out.
    func load() -> [String] {
        guard let path, let file = Self.open(path, O_RDONLY) else { return [] }
        defer { close(file) }
        // Only the end of a file that is too large is read; its first line is then cut, and dropped.
        let size = lseek(file, 0, SEEK_END)
        let start = max(0, size - Self.largest * 4)
        lseek(file, start, SEEK_SET)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while bytes.count <= Self.largest * 4 {
            let count = unsafe read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).dropFirst(start > 0 ? 1 : 0)
            .compactMap { String(validating: $0, as: UTF8.self) }
            .filter { !$0.isEmpty && $0.utf8.count <= LineEditor.longestLine && Sanitiser.isHarmless($0) }
        // An earlier version stored passkeys and keys.
        let redacted = lines.map(SecretRedaction.line)
        let kept = Array(redacted.suffix(Self.longest))
        if lines.count > Self.longest * 2 || size > Self.largest || redacted != lines { replace(with: kept) }
        return kept
    }

    /// Stores a line if it is a step, and does not begin with a space.
    func add(_ line: String) {
        guard let path, line.first?.isWhitespace == false, Sanitiser.isHarmless(line) else { return }
        guard (try? StepLanguage.parse(line)) != nil else { return }
        Self.makeFolder(of: path)
        // Appending a line is one write, so several shells can use the file.
        guard let file = Self.open(path, O_WRONLY | O_APPEND | O_CREAT) else { return }
        defer { close(file) }
        Self.write(Array((SecretRedaction.line(line) + "\n").utf8), to: file)
    }

    /// Replaces the file in one step, so that a crash leaves the old one or the new one.
    private func replace(with lines: [String]) {
        guard let path else { return }
        let new = "\(path).\(getpid())"
        guard let file = Self.open(new, O_WRONLY | O_CREAT | O_EXCL) else { return }
        let isWritten = Self.write(Array(lines.map { $0 + "\n" }.joined().utf8), to: file)
        close(file)
        let isReplaced = unsafe rename(isWritten ? new : "", path) == 0
        if !isReplaced { unsafe unlink(new) }
    }

    /// Opens a regular file that only the user can read. Returns nil if this is not possible.
    ///
    /// A symbolic link or a pipe in place of the file is refused.
    private static func open(_ path: String, _ flags: Int32) -> Int32? {
        let file = unsafe Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
        guard file >= 0 else { return nil }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            close(file)
            return nil
        }
        if status.st_mode & 0o077 != 0 { fchmod(file, 0o600) }
        return file
    }

    private static func makeFolder(of path: String) {
        var folder = ""
        for name in path.split(separator: "/").dropLast() {
            folder += "/" + name
            unsafe mkdir(folder, 0o700)
        }
    }

    @discardableResult
    private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
