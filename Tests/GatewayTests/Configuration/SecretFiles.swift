import FoundationEssentials

/// A folder for files with access modes. It is removed at the end of the test.
final class SecretFiles {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/gateway-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func write(_ name: String, _ text: String, mode: Int) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }
}
