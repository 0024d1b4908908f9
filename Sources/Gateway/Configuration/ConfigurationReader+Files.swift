import BluetoothValues
import FoundationEssentials
import YAMLDocuments

/// Checks and reads the files that a configuration names.
///
/// Files with secrets must not be accessible for other users. Their group may read them, because systemd gives
/// credentials to services with mode 0440.
extension ConfigurationReader {
    /// The bits of an access mode that a file with a secret must not have.
    static let forbiddenMode: UInt32 = 0o037

    /// Returns the path of a file, relative to the folder of the configuration.
    func path(_ value: YAMLValue) -> String? { path(value, in: directory) }

    /// Returns the path of a file, relative to a folder.
    func path(_ value: YAMLValue, in directory: String) -> String? {
        guard let text = value.text() else { return nil }
        guard !text.utf8.contains(0) else {
            value.report("\(value.name) contains a NUL", "write a path")
            return nil
        }
        return text.hasPrefix("/") ? text : directory == "/" ? "/" + text : directory + "/" + text
    }

    /// Returns the path of a file that exists.
    func existingFile(_ value: YAMLValue) -> String? {
        guard let path = path(value) else { return nil }
        var isDirectory = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            value.report("there is no file \(path)", "check the path of \(value.name)")
            return nil
        }
        guard !isDirectory else {
            value.report("\(path) is a folder", "name a file")
            return nil
        }
        // Opening a pipe would wait for a program that writes to it.
        guard PrivateFile.isRegular(path) else {
            value.report("\(path) is a pipe, a socket or a device", "name a file")
            return nil
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
            value.report("the file \(path) cannot be read", "check its permissions")
            return nil
        }
        readFiles.add(path)
        return path
    }

    /// Returns the path of a file that exists, and that other users cannot access.
    func privateFile(_ value: YAMLValue) -> String? {
        guard let path = existingFile(value) else { return nil }
        return isPrivate(PrivateFile.mode(of: path), path, value) ? path : nil
    }

    /// Returns the first line of a file with a secret.
    func secretLine(_ value: YAMLValue) -> String? {
        guard let path = existingFile(value) else { return nil }
        let text: String
        do throws(KeyFileError) {
            text = try PrivateFile.text(path, forbidding: Self.forbiddenMode)
        } catch {
            switch error {
            case .notPrivate(_, let mode): _ = isPrivate(mode, path, value)
            default: value.report("the file \(path) cannot be read as text", "write one line of UTF-8 to it")
            }
            return nil
        }
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.count == 1, let line = lines.first else {
            value.report("the file \(path) has \(lines.count) lines", "write one line to it")
            return nil
        }
        return String(line)
    }

    /// Reports a secret in the configuration file itself if other users may read the file.
    func checkConfigurationIsPrivate(for value: YAMLValue) {
        guard let fileMode, fileMode & Self.forbiddenMode != 0 else { return }
        value.report(
            "\(value.name) is secret, but other users may access \(file) (mode \(Self.text(fileMode)))",
            "run chmod 600 on it, or use \(value.name)-file")
    }

    private func isPrivate(_ mode: UInt32?, _ path: String, _ value: YAMLValue) -> Bool {
        guard let mode else {
            value.report("the permissions of \(path) cannot be read", "check the folder")
            return false
        }
        guard mode & Self.forbiddenMode == 0 else {
            value.report("other users may access \(path) (mode \(Self.text(mode)))", "run chmod 600 on it")
            return false
        }
        return true
    }

    private static func text(_ mode: UInt32) -> String { "0" + String(mode & 0o777, radix: 8) }
}
