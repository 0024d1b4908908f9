import FoundationEssentials
import Glibc
import Rx

/// One empty file for each link, in a folder that the system empties when the user logs out.
///
/// Making and removing a file is one step, so several commands can run at the same time. Without a folder, no link is
/// recorded, so each link counts as that of another program.
struct KeptLinkFiles: KeptLinks {
    /// The folder of the files; nil if the user has none.
    let folder: String?
    /// The address of the bus, because several buses can have a device with the same address.
    let bus: String
    /// How the names of the files begin.
    var prefix = "kept-"

    /// The number of files from which they are all removed before another one is made.
    static let limit = 256

    /// The folder of the user: `$XDG_RUNTIME_DIR/ble-cli`, or below `/run/user`, or for root without a session `/run`.
    static var ofEnvironment: KeptLinkFiles {
        let candidates = [TerminalEnvironment.variable("XDG_RUNTIME_DIR"), "/run/user/\(geteuid())"].compactMap(\.self)
        let runtime = candidates.first { path in
            let isWritable = unsafe access(path, W_OK | X_OK) == 0
            return path.hasPrefix("/") && isWritable
        }
        return KeptLinkFiles(
            folder: (runtime ?? (geteuid() == 0 ? "/run" : nil)).map { $0 + "/ble-cli" },
            bus: TerminalEnvironment.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "")
    }

    func contains(_ link: LinkKey) -> Bool {
        path(of: link).map { unsafe access($0, F_OK) == 0 } ?? false
    }

    func insert(_ link: LinkKey) {
        guard let folder, let path = path(of: link) else { return }
        unsafe mkdir(folder, 0o700)
        removeAll(in: folder, ifMoreThan: Self.limit - 1)
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return }
        futimens(file, nil)
        close(file)
    }

    func remove(_ link: LinkKey) { if let path = path(of: link) { unsafe unlink(path) } }

    private func path(of link: LinkKey) -> String? {
        // FNV-1a, 64 bits. The address of a bus contains slashes, and may be longer than the name of a file.
        let hash = bus.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return folder.map { "\($0)/\(prefix)\(hash)-\(link.adapter)-\(link.address)" }
    }

    /// Returns when the file of a link was written, in seconds since 1970; nil if there is none.
    func time(of link: LinkKey) -> Double? {
        guard let path = path(of: link) else { return nil }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    }

    private func removeAll(in folder: String, ifMoreThan limit: Int) {
        guard let list = unsafe opendir(folder) else { return }
        defer { unsafe closedir(list) }
        var names: [String] = []
        while let entry = unsafe readdir(list) {
            let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { name in
                unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
            if name.hasPrefix(prefix) { names.append(name) }
        }
        if names.count > limit { for name in names { unsafe unlink("\(folder)/\(name)") } }
    }
}

/// The links that commands are closing, in files beside those of ``KeptLinkFiles``.
struct ClosingLinkFiles: ClosingLinks {
    let files: KeptLinkFiles

    static var ofEnvironment: ClosingLinkFiles {
        var files = KeptLinkFiles.ofEnvironment
        files.prefix = "closing-"
        return ClosingLinkFiles(files: files)
    }

    func time(of link: LinkKey) -> Double? { files.time(of: link) }
    func insert(_ link: LinkKey, at now: RxTime) { files.insert(link) }
    func remove(_ link: LinkKey) { files.remove(link) }
}
