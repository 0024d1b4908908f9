/// The formats of advertisements that this library decodes and encodes.
///
/// The raw value is a stable name for files and JSON.
public enum SensorFormat: String, Hashable, Sendable, CaseIterable {
    /// BTHome version 2.
    case bthome
    /// Xiaomi MiBeacon.
    case miBeacon = "mibeacon"
    /// RuuviTag and Ruuvi Air, formats 3, 5, 6 and E1.
    case ruuvi
    /// Apple iBeacon.
    case iBeacon = "ibeacon"
    /// Tilt hydrometer, an iBeacon with measured values.
    case tilt
    /// AltBeacon.
    case altBeacon = "altbeacon"
    /// Google Eddystone.
    case eddystone
    /// Firmware ATC1441 for Xiaomi thermometers.
    case atc1441
    /// Firmware pvvx for Xiaomi thermometers.
    case pvvx
    /// b-parasite, a soil sensor.
    case bParasite = "b-parasite"
    /// Govee thermometers.
    case govee
    /// Inkbird thermometers.
    case inkbird
    /// ThermoPro thermometers.
    case thermoPro = "thermopro"
    /// SwitchBot meters.
    case switchBot = "switchbot"
    /// Qingping (ClearGrass) sensors.
    case qingping
    /// Sensirion gadgets.
    case sensirion
    /// Xiaomi body scales.
    case miScale = "miscale"
    /// Aranet air sensors.
    case aranet
    /// Oral-B toothbrushes.
    case oralB = "oralb"
    /// Mopeka tank sensors.
    case mopeka
    /// Victron instant readout.
    case victron
    /// Characteristics of the Environmental Sensing service as service data.
    case environmentalSensing = "ess"
    /// Apple's Continuity messages. The kind is recognised; the content is not decoded.
    case appleContinuity = "apple-continuity"
    /// A tracker of Apple's Find My network. The kind is recognised; the content is not decoded.
    case findMy = "find-my"
    /// An unwanted-tracker beacon (DULT). The kind is recognised; the content is not decoded.
    case locationTracker = "dult"
    /// Google Fast Pair. The kind is recognised; the content is not decoded.
    case fastPair = "fast-pair"
    /// Exposure Notification. The kind is recognised; the content is not decoded.
    case exposureNotification = "exposure-notification"
    /// Encrypted Advertising Data of the Bluetooth SIG. The kind is recognised; the content is not decoded.
    case encryptedData = "encrypted-data"

    /// Whether the company identifier of the data is a part of the measured values.
    ///
    /// Several sections of one device are then values of different times.
    public var hasMeasuredIdentifier: Bool { self == .inkbird || self == .thermoPro }

    /// Whether only the kind is recognised.
    ///
    /// The library neither decodes nor stores what phones and trackers send, because it identifies people.
    public var isRecognisedOnly: Bool {
        switch self {
        case .appleContinuity, .findMy, .locationTracker, .fastPair, .exposureNotification, .encryptedData: true
        default: false
        }
    }
}
