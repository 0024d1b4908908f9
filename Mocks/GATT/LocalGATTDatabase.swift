import DBus

/// The attributes that bluetoothd serves to centrals, including those of registered applications.
/// Source: BlueZ 5.66, src/shared/gatt-db.c.
final class LocalGATTDatabase {
    /// One service in the database.
    final class ServiceEntry {
        let uuid: String
        let isPrimary: Bool
        fileprivate let first: Int
        /// The handles of the service's attributes; nil for an attribute that is reserved but not added yet.
        fileprivate var handles: [Int?]

        fileprivate init(_ uuid: String, isPrimary: Bool, first: Int, count: Int) {
            self.uuid = uuid
            self.isPrimary = isPrimary
            self.first = first
            handles = [first] + [Int?](repeating: nil, count: count - 1)
        }

        fileprivate var last: Int { first + handles.count - 1 }
    }

    private static let highest = 0xFFFF

    private var entries: [ServiceEntry] = []
    private var next = 1

    /// Creates a database with bluetoothd's own services: GAP, GATT, Device Information, Volume Control.
    init() {
        for (uuid, count) in [("1800", 7), ("1801", 10), ("180a", 3), ("1844", 9)] {
            _ = insert(FullUUID.described(uuid), isPrimary: true, at: 0, count: count)
        }
    }

    /// Returns whether any service has this UUID.
    func has(_ uuid: String) -> Bool { entries.contains { $0.uuid == uuid } }

    /// Inserts a service. Returns nil if its handles are taken or too high (gatt_db_insert_service).
    fileprivate func insert(_ uuid: String, isPrimary: Bool, at handle: Int, count: Int) -> ServiceEntry? {
        let first = handle == 0 ? next : handle
        let last = first + count - 1
        guard last <= Self.highest else { return nil }
        var place = 0
        for (index, entry) in entries.enumerated() {
            let range = entry.first...entry.last
            if range.contains(first) || range.contains(last) {
                // If the same service is already at the same handles, that service is returned.
                let isSame = entry.uuid == uuid && entry.isPrimary == isPrimary && range == first...last
                return isSame ? entry : nil
            }
            if last < entry.first { break }
            place = index + 1
        }
        let entry = ServiceEntry(uuid, isPrimary: isPrimary, first: first, count: count)
        entries.insert(entry, at: place)
        // As in bluetoothd, the counter has 16 bits, so it becomes 0 after the last handle.
        next = max(first + count, next) & Self.highest
        return entry
    }

    func remove(_ entry: ServiceEntry) { entries.removeAll { $0 === entry } }
}

extension LocalGATTDatabase.ServiceEntry {
    /// Returns the index of the first unused attribute; nil if fewer than `behind` attributes follow it.
    ///
    /// Source: get_attribute_index.
    private func free(_ behind: Int) -> Int? {
        let index = handles.firstIndex { $0 == nil }
        return index.flatMap { $0 < handles.count - behind ? $0 : nil }
    }

    /// Adds a descriptor or another single attribute and returns its handle; nil on failure.
    fileprivate func addDescriptor(at handle: Int) -> Int? {
        guard let index = free(0), handle == 0 || handle > first else { return nil }
        let handle = handle == 0 ? (handles[index - 1] ?? 0) + 1 : handle
        handles[index] = handle
        return handle
    }

    /// Adds a characteristic and returns the handle of its value; nil on failure.
    ///
    /// `handle` is the requested handle of the value; 0 for any.
    fileprivate func addCharacteristic(at handle: Int) -> Int? {
        guard handle == 0 || handle > first, handle != 0xFFFF, let index = free(1) else { return nil }
        let handle = handle == 0 ? (handles[index - 1] ?? 0) + 2 : handle
        handles[index] = handle - 1
        handles[index + 1] = handle
        return handle
    }
}

extension LocalGATTDatabase {
    /// Adds a service with its characteristics.
    ///
    /// Returns nil and adds nothing on failure (database_add_service).
    /// `write` is called with each handle that must be written back to the client.
    /// `earlier` contains the application's services that were added before, by path.
    func add(
        _ service: RegisteredApplication.RegisteredService, _ earlier: [ObjectPath: ServiceEntry],
        write: (RegisteredApplication.RegisteredObject, UInt16) -> Void
    ) -> ServiceEntry? {
        let object = service.object
        guard let uuid = object.uuid, let isPrimary = service.isPrimary, let includes = service.includes,
            let handle = object.handle
        else { return nil }
        let count =
            1 + includes.count
            + service.characteristics.reduce(0) { $0 + 2 + $1.ownDescriptors + $1.descriptors.count }
        guard let entry = insert(uuid, isPrimary: isPrimary, at: handle, count: count) else { return nil }
        if object.needsHandle { write(object, UInt16(entry.first)) }
        // A service can include only itself and earlier services.
        for path in includes where earlier[path] != nil || path == object.path { _ = entry.addDescriptor(at: 0) }
        for characteristic in service.characteristics where !add(characteristic, to: entry, write) {
            remove(entry)
            return nil
        }
        return entry
    }

    private func add(
        _ characteristic: RegisteredApplication.RegisteredCharacteristic, to entry: ServiceEntry,
        _ write: (RegisteredApplication.RegisteredObject, UInt16) -> Void
    ) -> Bool {
        let object = characteristic.object
        guard let wanted = object.handle, object.uuid != nil, let handle = entry.addCharacteristic(at: wanted) else {
            return false
        }
        for _ in 0..<characteristic.ownDescriptors where entry.addDescriptor(at: 0) == nil { return false }
        if object.needsHandle { write(object, UInt16(truncatingIfNeeded: handle)) }
        for descriptor in characteristic.descriptors {
            guard let wanted = descriptor.handle, descriptor.uuid != nil,
                let handle = entry.addDescriptor(at: wanted)
            else { return false }
            if descriptor.needsHandle { write(descriptor, UInt16(truncatingIfNeeded: handle)) }
        }
        return true
    }
}
