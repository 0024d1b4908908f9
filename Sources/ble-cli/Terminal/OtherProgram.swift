import Glibc

/// A program that is installed separately, and takes over the process of a command.
struct OtherProgram {
    let name: String
    /// How to install the program, as a sentence.
    let hint: String

    /// Replaces this program in its process. Throws if the program is not found or cannot be run.
    func replaceProcess(arguments: [String]) throws(CLIError) -> Never {
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) }
        let paths = candidates(beside: Self.ownFolder, path: path)
        guard let program = paths.first(where: { unsafe access($0, X_OK) == 0 && !Self.isFolder($0) }) else {
            throw CLIError(.usage, "The program \(name) is not installed. \(hint)")
        }
        // The other program begins with the usual handling of signals.
        signal(SIGPIPE, SIG_DFL)
        let code = Signals.unblocked {
            var words: [UnsafeMutablePointer<CChar>?] = unsafe ([name] + arguments).map { unsafe strdup($0) } + [nil]
            // Returns only if it fails.
            unsafe execv(program, &words)
            return errno
        }
        throw CLIError(.usage, "\(program) cannot be run: \(unsafe String(cString: strerror(code))). \(hint)")
    }

    /// Returns the paths to try: beside this program, in its prefix's libexec, and in the folders of PATH.
    func candidates(beside folder: String?, path: String?) -> [String] {
        let own = folder.map { ["\($0)/\(name)", "\($0)/../libexec/\(name)"] } ?? []
        // An empty entry of PATH is the current folder, from which no program is started.
        let others = (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
        return own + others.filter { $0.hasPrefix("/") }
    }

    /// The folder of this program; nil if /proc is not mounted.
    private static var ownFolder: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let path = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
