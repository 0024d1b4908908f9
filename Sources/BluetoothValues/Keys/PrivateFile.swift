import Glibc

/// Reads files with secrets, which other users must not be able to access.
package enum PrivateFile {
    /// Returns the text of a file. Throws if its mode has one of the forbidden bits.
    ///
    /// The permissions are those of the opened file, so that a replaced file is not read.
    package static func text(_ path: String, forbidding forbidden: UInt32) throws(KeyFileError) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path: path, errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, errno: errno) }
        guard status.st_mode & forbidden == 0 else { throw .notPrivate(path: path, mode: status.st_mode & 0o777) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            // The chunk has the number of bytes that the call may write.
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(path: path, errno: errno) }
            if count == 0 { break }
            bytes += chunk.prefix(count)
            guard bytes.count <= 4 << 20 else { throw .unsuitable(path: path) }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .unsuitable(path: path) }
        return text
    }

    /// Returns whether the path leads to a file with content: not to a folder, a pipe, a socket or a device.
    package static func isRegular(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// Returns whether two paths lead to one file that exists.
    package static func isSame(_ path: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard unsafe stat(path, &first) == 0, unsafe stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Returns whether opening the path may wait for another program. A pipe without a name is open already.
    package static func isNamedPipeOrDevice(_ path: String) -> Bool {
        guard let real = unsafe realpath(path, nil) else { return false }
        defer { unsafe free(real) }
        var status = stat()
        guard unsafe stat(real, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
    }

    /// Returns the access mode of a file; nil if there is no such file.
    package static func mode(of path: String) -> UInt32? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return status.st_mode & 0o777
    }
}
