/// A phone or tracker. Only its kind is recognised; the content is neither decoded nor stored.
///
/// What these devices send identifies people, or is encrypted. So a reading has no values and no identifiers.
public enum RecognisedDevice {
    /// Returns the kind of a section; nil if it is not one of these devices.
    static func format(_ section: AdvertisedSection) -> SensorFormat? {
        let bytes = section.bytes
        switch (section.kind, section.identifier) {
        case (.manufacturer, 0x004C): return bytes.first == 0x12 ? .findMy : bytes.isEmpty ? nil : .appleContinuity
        case (.service, 0xFCB2), (.service, 0xFD5A), (.service, 0xFEED): return .locationTracker
        case (.service, 0xFEAA): return bytes.first == 0x40 || bytes.first == 0x41 ? .locationTracker : nil
        case (.service, 0xFE2C): return .fastPair
        case (.service, 0xFD6F): return .exposureNotification
        case (.structure, 0x31): return .encryptedData
        default: return nil
        }
    }
}
