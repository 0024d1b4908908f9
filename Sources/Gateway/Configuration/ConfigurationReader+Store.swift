import BluetoothValues
import FoundationEssentials
import YAMLDocuments

/// The files that a configuration names for reading.
final class NamedFiles {
    private(set) var paths: [String] = []

    func add(_ path: String) { paths.append(path) }
}

/// Reads the settings of the store.
extension ConfigurationReader {
    func store(_ value: YAMLValue) -> StoreSettings {
        let members = value.members(["path", "maximum-size", "batch-interval"])
        var store = StoreSettings()
        if let path = members["path"] { store.path = storePath(path) }
        set(&store.maximumBytes, members["maximum-size"]?.size(64 << 10...1 << 40))
        set(&store.batchInterval, members["batch-interval"]?.duration(.zero ... .seconds(60)))
        return store
    }

    private func storePath(_ value: YAMLValue) -> String? {
        guard let path = path(value, in: stateFolder ?? directory) else { return nil }
        // The paths in a text without a file are not those of this machine.
        guard fileMode != nil else { return path }
        if ([file] + readFiles.paths).contains(where: { PrivateFile.isSame($0, path) }) {
            value.report("\(value.name) is \(path), which the gateway reads as another file", "name a file of its own")
            return nil
        }
        var isDirectory = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory {
            value.report("\(path) is a folder", "name a file")
            return nil
        }
        guard !PrivateFile.isNamedPipeOrDevice(path) else {
            value.report("\(path) is a pipe, a socket or a device", "name a file")
            return nil
        }
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        // systemd creates the folder of a service when it starts it.
        let isOfService = path.hasPrefix("/var/lib/") || stateFolder.map { path.hasPrefix($0) } == true
        guard isOfService || folder.isEmpty || PrivateFile.mode(of: String(folder)) != nil else {
            value.report("there is no folder \(folder)", "create it, or change \(value.name)")
            return nil
        }
        return path
    }
}
