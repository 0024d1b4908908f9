/// A stored property of a structure, by its offset.
///
/// Decoding an advertisement accesses tens of properties, and a key path takes a hundred times as long.
struct StoredProperty<Root, Value: BitwiseCopyable>: Sendable {
    private let offset: Int

    /// Traps if the path is not that of a stored property. Tables are made of constant paths, so every test finds it.
    init(_ path: WritableKeyPath<Root, Value>) {
        guard let offset = MemoryLayout<Root>.offset(of: path) else {
            preconditionFailure("A table has a path that is not a stored property.")
        }
        self.offset = offset
    }

    /// Returns the value. The root is `inout`, because access to a constant copies all of it.
    func get(_ root: inout Root) -> Value {
        // The offset is that of a stored property of type Value in a Root.
        unsafe withUnsafeBytes(of: &root) { unsafe $0.load(fromByteOffset: offset, as: Value.self) }
    }

    func set(_ value: Value, in root: inout Root) {
        // The offset is that of a stored property of type Value, which needs no release.
        unsafe withUnsafeMutableBytes(of: &root) {
            unsafe $0.storeBytes(of: value, toByteOffset: offset, as: Value.self)
        }
    }
}
