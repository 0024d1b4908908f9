import BluetoothValues
import FoundationEssentials
import YAMLDocuments

extension GatewayConfiguration {
    /// Reads the settings from a YAML file. ``example`` describes its keys.
    ///
    /// Paths in the file are relative to its folder. If the file contains keys of devices, other users must not be able
    /// to read it. Throws ``ConfigurationError`` with all mistakes.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - hostName: The name of the gateway if the file has none; nil for the name of this machine.
    ///   - stateFolders: The variable `STATE_DIRECTORY` of systemd. A relative path of the store is in its first
    ///     folder, because a service cannot write to the folder of its configuration.
    public init(
        file path: String, hostName: String? = nil, stateFolders: String? = nil
    ) throws(ConfigurationError) {
        guard FileManager.default.fileExists(atPath: path) else {
            throw ConfigurationError(file: path, "there is no file \(path)", "check the path")
        }
        guard !PrivateFile.isNamedPipeOrDevice(path) else {
            throw ConfigurationError(file: path, "\(path) is a pipe, a socket or a device", "name a file")
        }
        let text: String
        do throws(KeyFileError) {
            text = try PrivateFile.text(path, forbidding: 0)
        } catch {
            if case .unsuitable = error {
                throw ConfigurationError(file: path, "the file is not UTF-8 or larger than 4 MiB", "save it as UTF-8")
            }
            throw ConfigurationError(file: path, "the file cannot be read", "check its permissions")
        }
        let mode = PrivateFile.mode(of: path)
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let directory = parts.isEmpty ? "." : parts == [""] ? "/" : parts.joined(separator: "/")
        let stateFolder = stateFolders?.split(separator: ":").first.map(String.init)
        try self.init(
            yaml: text, directory: directory, stateFolder: stateFolder, hostName: hostName, file: path, fileMode: mode)
    }

    /// Reads the settings from YAML text. Throws ``ConfigurationError`` with all mistakes.
    ///
    /// - Parameters:
    ///   - text: The text of a configuration file.
    ///   - directory: The folder to which paths in the text are relative.
    ///   - hostName: The name of the gateway if the text has none; nil for the name of this machine.
    public init(yaml text: String, directory: String = ".", hostName: String? = nil) throws(ConfigurationError) {
        try self.init(
            yaml: text, directory: directory, stateFolder: nil, hostName: hostName, file: "configuration", fileMode: nil
        )
    }

    private init(
        yaml text: String, directory: String, stateFolder: String?, hostName: String?, file: String, fileMode: UInt32?
    ) throws(ConfigurationError) {
        let document: YAMLNode?
        do throws(YAMLError) {
            document = try YAMLParser.read(text)
        } catch {
            let hint = error.expected == YAMLError.syntax ? "; check the indentation and quotes" : ""
            throw ConfigurationError(file: file, line: error.line, error.problem, "write \(error.expected)\(hint)")
        }
        let mistakes = YAMLMistakes()
        let reader = ConfigurationReader(
            directory: directory, stateFolder: stateFolder, file: file, fileMode: fileMode)
        let root = YAMLValue(document ?? YAMLNode(content: .mapping([]), line: 1), "", mistakes)
        root.reportVariables()
        self = reader.configuration(root, hostName: hostName ?? ProcessInfo.processInfo.hostName)
        let found = mistakes.all
        guard found.isEmpty else { throw ConfigurationError(file: file, found) }
    }
}
