/// The attributes of a device's GATT server that a capture shows, with their last values.
package struct CapturedServer: Sendable {
    package struct Service: Hashable, Sendable {
        package var uuid: AttributeUUID
        package var start: UInt16
        package var end: UInt16
        package var isPrimary: Bool
    }

    package struct Characteristic: Hashable, Sendable {
        package var uuid: AttributeUUID
        /// The bits of the Characteristic Properties field.
        package var properties: UInt8
        package var valueHandle: UInt16
    }

    /// The values that a characteristic has sent by itself.
    package struct Notifications: Hashable, Sendable {
        package fileprivate(set) var values: [[UInt8]] = []
        package fileprivate(set) var last: [UInt8] = []
        /// The number of values, also of those that are not stored.
        package fileprivate(set) var count = 0
        fileprivate var firstTime: Int64 = 0
        fileprivate var lastTime: Int64 = 0

        /// The average time between two values in milliseconds; nil if fewer than two have arrived.
        package var interval: Int64? { count > 1 ? max(0, lastTime &- firstTime) / 1000 / Int64(count - 1) : nil }
    }

    /// The services by the handle of their declaration.
    package internal(set) var services: [UInt16: Service] = [:]
    /// The characteristics by the handle of their declaration.
    package internal(set) var characteristics: [UInt16: Characteristic] = [:]
    /// The UUIDs of the attributes by handle.
    package internal(set) var types: [UInt16: AttributeUUID] = [:]
    /// The last values that were read or written.
    package internal(set) var values: [UInt16: [UInt8]] = [:]
    /// The ATT error of the last read of an attribute that could not be read.
    package internal(set) var readErrors: [UInt16: UInt8] = [:]
    package private(set) var notifications: [UInt16: Notifications] = [:]
    /// The MTU of the last link; nil if it was not exchanged.
    package internal(set) var mtu: UInt16?

    /// The most attributes of each kind, so that a damaged capture needs little memory.
    static let mostAttributes = 2048
    /// The most bytes of stored notifications.
    private static let mostNotifiedBytes = 1 << 18
    private var notifiedBytes = 0

    /// The longest value. Source: Core Specification 5.4, Vol 3, Part F, 3.2.9.
    static let longestValue = 512
    /// The most notified values that are stored of one characteristic.
    package static let mostNotifications = 256

    /// Whether the capture shows nothing of the server.
    package var isEmpty: Bool { services.isEmpty && characteristics.isEmpty && values.isEmpty && notifications.isEmpty }

    mutating func setValue(_ value: some Collection<UInt8>, of handle: UInt16) {
        guard values[handle] != nil || values.count < Self.mostAttributes else { return }
        values[handle] = Array(value.prefix(Self.longestValue))
        readErrors[handle] = nil
    }

    /// Stores a part of a long value. A part that does not continue the stored value is ignored.
    mutating func setPart(_ part: ArraySlice<UInt8>, at offset: Int, of handle: UInt16) {
        let value = values[handle] ?? []
        guard offset <= value.count else { return }
        setValue(value.prefix(offset) + part, of: handle)
    }

    mutating func addNotification(_ value: ArraySlice<UInt8>, of handle: UInt16, at time: Int64) {
        let value = Array(value.prefix(Self.longestValue))
        var entry = notifications.removeValue(forKey: handle) ?? Notifications()
        entry.firstTime = entry.count == 0 ? time : min(entry.firstTime, time)
        entry.lastTime = max(entry.count == 0 ? time : entry.lastTime, time)
        entry.count += 1
        if entry.values.count < Self.mostNotifications, notifiedBytes + value.count <= Self.mostNotifiedBytes {
            entry.values.append(value)
            notifiedBytes += value.count
        }
        entry.last = value
        if entry.count > 1 || notifications.count < Self.mostAttributes { notifications[handle] = entry }
    }

    /// Returns the last value that was read or written; else the last one that was notified.
    package func lastValue(of handle: UInt16) -> [UInt8]? { values[handle] ?? notifications[handle]?.last }
}
