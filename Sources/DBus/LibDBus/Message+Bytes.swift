internal import CDBus

/// A message as the bytes that stand for it on a wire; for tests of what reads them.
/// Source: D-Bus specification, "Message Format".
extension Message {
    /// Takes bytes from somewhere as libdbus takes them from a wire; nil where it refuses them. What follows the first
    /// message in them is dropped.
    package convenience init?(bytes: [UInt8]) {
        let raw = unsafe bytes.withUnsafeBytes { bytes in
            unsafe dbus_message_demarshal(bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), nil)
        }
        guard !bytes.isEmpty, let raw = unsafe raw else { return nil }
        unsafe self.init(adopting: raw)
    }

    /// The message's bytes. One that has no serial yet is not valid on a wire.
    package var bytes: [UInt8] {
        var start: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard unsafe dbus_message_marshal(raw, &start, &count) != 0, let start = unsafe start else { outOfMemory() }
        defer { unsafe dbus_free(start) }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
    }
}
