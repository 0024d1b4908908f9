import FoundationEssentials

/// A folder that is removed with its owner.
final class TemporaryFolder {
    private let root: String

    init() throws {
        root = FileManager.default.temporaryDirectory.path + "/gateway-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// The files in alphabetic order.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).sorted() }

    func path(_ name: String) -> String { root + "/" + name }

    /// Writes into the existing file if there is one.
    func write(_ name: String, _ content: [UInt8], mode: Int = 0o600) throws {
        try Data(content).write(to: URL(filePath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path(name)))) }

    func mode(_ name: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
        return attributes?[.posixPermissions] as? Int
    }
}
