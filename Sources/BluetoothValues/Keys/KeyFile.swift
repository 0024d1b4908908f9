import Glibc

extension KeyStore {
    /// Reads keys from a file that only its owner may access (mode 0600 or 0400).
    ///
    /// The permissions are those of the opened file, so that a replaced file is not read. Throws ``KeyFileError``.
    public init(file path: String) throws(KeyFileError) {
        try self.init(text: PrivateFile.text(path, forbidding: 0o077))
    }

    /// Writes the keys to a new file that only its owner may access (mode 0600).
    ///
    /// ``init(file:)`` reads the file.
    ///
    /// An existing file is not changed. Throws ``KeyFileError``.
    public func write(newFile path: String) throws(KeyFileError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unwritable(path: path, errno: errno) }
        defer { close(descriptor) }
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        var written = 0
        while written < bytes.count {
            // The rest has the number of bytes that the call may read.
            let rest = Array(bytes[written...])
            let count = unsafe Glibc.write(descriptor, rest, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .unwritable(path: path, errno: errno) }
            written += count
        }
    }
}
