extension Publication {
    /// Which messages go first, in the store and to the broker.
    ///
    /// Messages of one priority keep their order. All messages of a device have the same priority.
    public enum Priority: UInt8, Hashable, Sendable, CaseIterable {
        /// Messages of the devices of the configuration, and of the gateway.
        case normal
        /// Messages of all other devices. A full store removes them first, and they are sent after the others.
        case low
    }
}
