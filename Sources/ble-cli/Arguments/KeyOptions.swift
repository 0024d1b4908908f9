import ArgumentParser
import RxBluetooth

/// The options for keys of devices that encrypt their advertisements.
struct KeyOptions: ParsableArguments {
    @Option(
        name: .customLong("key"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The key of a device that encrypts its advertisements. Other users can read the arguments of a command, so "
                + "prefer --keys. May be given several times.",
            valueName: "address=hex"))
    var list: [String] = []

    @Option(
        name: .customLong("keys"), parsing: .unconditional,
        help: ArgumentHelp(
            "A file with one ADDRESS=HEX a line, which only its owner may read (mode 0600). A line irk ADDRESS=HEX has "
                + "the identity key of a device with changing addresses.",
            valueName: "file"), completion: .file())
    var file: String?

    /// Returns the keys. Throws if an option or the file is invalid; the error does not contain keys.
    func parsed() throws(CLIError) -> KeyStore {
        var keys = KeyStore()
        if let file {
            do throws(KeyFileError) { keys = try KeyStore(file: file) } catch { throw CLIError(.usage, "\(error)") }
        }
        for text in list {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let address = SenderAddress(String(parts[0]).trimmed),
                let key = DeviceKey(String(parts[1]).trimmed)
            else {
                throw CLIError(
                    .usage,
                    "A --key is not ADDRESS=HEX. Give an address such as C0:FF:EE:00:00:01, and 24 or 32 hexadecimal "
                        + "digits.")
            }
            keys[address] = key
        }
        return keys
    }
}
