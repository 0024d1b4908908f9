import Glibc

/// The keys of devices by address. Descriptions and reflection never show a key.
public struct KeyStore: Sendable {
    private var keys: [SenderAddress: DeviceKey] = [:]

    /// Keys that resolve private addresses, with the identity of their device.
    public private(set) var identities: [(identity: SenderAddress, key: DeviceKey)] = []

    /// A number that changes with the identity keys, so that a decoder prepares them only once.
    private(set) var identityRevision = 0

    /// Makes a store without keys.
    public init() {}

    /// The key of a device. Setting nil removes it.
    public subscript(address: SenderAddress) -> DeviceKey? {
        get { keys.isEmpty ? nil : keys[address] }
        set { keys[address] = newValue }
    }

    /// Whether there are neither device keys nor identity keys.
    public var isEmpty: Bool { keys.isEmpty && identities.isEmpty }

    /// The number of device keys.
    public var count: Int { keys.count }

    /// Adds the identity key of a device; returns false if the key does not have 16 bytes.
    @discardableResult
    public mutating func addIdentity(_ identity: SenderAddress, key: DeviceKey) -> Bool {
        guard key.bytes.count == 16 else { return false }
        identities.append((identity, key))
        identityRevision = (identityRevision &* 1_000_003) ^ identity.hashValue ^ key.hashValue
        return true
    }

    /// Reads keys from text: one `ADDRESS=KEY` in hexadecimal digits a line.
    ///
    /// A line `irk ADDRESS=KEY` has an identity key. Empty lines and lines that begin with `#` are ignored.
    /// Throws ``KeyFileError/malformedLine(_:)`` with the number of the first malformed line.
    public init(text: String) throws(KeyFileError) {
        self.init()
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            var rest = Self.trim(line)
            if rest.isEmpty || rest.hasPrefix("#") { continue }
            let isIdentity = rest.hasPrefix("irk ")
            if isIdentity { rest = Self.trim(rest.dropFirst(4)) }
            let parts = rest.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let address = SenderAddress(String(Self.trim(parts[0]))),
                let key = DeviceKey(Self.trim(parts[1]))
            else { throw .malformedLine(number) }
            if isIdentity {
                guard addIdentity(address, key: key) else { throw .malformedLine(number) }
            } else {
                keys[address] = key
            }
        }
    }

    /// The lines of a key file, in the order of the addresses.
    var lines: [String] {
        keys.sorted { $0.key.number < $1.key.number }.map { "\($0.key)=" + HexText.text($0.value.bytes) }
            + identities.map { "irk \($0.identity)=" + HexText.text($0.key.bytes) }
    }

    private static func trim(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" || first == "\r" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" || last == "\r" { text.removeLast() }
        return text
    }
}

extension KeyStore: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of keys, without the keys.
    public var description: String { "KeyStore(\(keys.count) device keys, \(identities.count) identity keys)" }
    /// The number of keys, without the keys.
    public var debugDescription: String { description }
    /// A mirror without the keys.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}

/// Why a file of keys was not read. It never contains the content of the file.
public enum KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file cannot be opened or read, with the error number of the system.
    case unreadable(path: String, errno: Int32)
    /// The file exists, or cannot be created or written, with the error number of the system.
    case unwritable(path: String, errno: Int32)
    /// Other users may read or write the file, with its permissions.
    case notPrivate(path: String, mode: UInt32)
    /// The file is larger than 4 MiB, or not UTF-8.
    case unsuitable(path: String)
    /// A line is not `ADDRESS=KEY`, with the number of the line.
    case malformedLine(Int)

    /// What failed and what to do, in one line.
    public var description: String {
        switch self {
        case .unreadable(let path, let errno): "The key file \(path) cannot be read: \(Self.reason(errno))."
        case .unwritable(let path, EEXIST): "The key file \(path) exists; remove it, or give another path."
        case .unwritable(let path, let errno): "The key file \(path) cannot be written: \(Self.reason(errno))."
        case .notPrivate(let path, let mode):
            "Other users may access the key file \(path) (mode 0\(String(mode, radix: 8))); run chmod 600 on it."
        case .unsuitable(let path): "The key file \(path) is larger than 4 MiB or not UTF-8."
        case .malformedLine(let line): "Line \(line) of the key file is not ADDRESS=KEY in hexadecimal digits."
        }
    }

    /// The text of the system for an error number, in English.
    private static func reason(_ errno: Int32) -> String { unsafe String(cString: strerror(errno)) }
}
