/// The formats of advertisements: those that this library decodes and encodes, and those of a program.
///
/// The raw value is a stable name for files and JSON.
public enum SensorFormat: RawRepresentable, Hashable, Sendable, CaseIterable {
    /// BTHome version 2.
    case bthome
    /// Xiaomi MiBeacon.
    case miBeacon
    /// RuuviTag and Ruuvi Air, formats 3, 5, 6 and E1.
    case ruuvi
    /// Apple iBeacon.
    case iBeacon
    /// Tilt hydrometer, an iBeacon with measured values.
    case tilt
    /// AltBeacon.
    case altBeacon
    /// Google Eddystone.
    case eddystone
    /// Firmware ATC1441 for Xiaomi thermometers.
    case atc1441
    /// Firmware pvvx for Xiaomi thermometers.
    case pvvx
    /// b-parasite, a soil sensor.
    case bParasite
    /// Govee thermometers.
    case govee
    /// Inkbird thermometers.
    case inkbird
    /// ThermoPro thermometers.
    case thermoPro
    /// SwitchBot meters.
    case switchBot
    /// Qingping (ClearGrass) sensors.
    case qingping
    /// Sensirion gadgets.
    case sensirion
    /// Xiaomi body scales.
    case miScale
    /// Aranet air sensors.
    case aranet
    /// Oral-B toothbrushes.
    case oralB
    /// Mopeka tank sensors.
    case mopeka
    /// Victron instant readout.
    case victron
    /// Characteristics of the Environmental Sensing service as service data.
    case environmentalSensing
    /// Apple's Continuity messages. The kind is recognised; the content is not decoded.
    case appleContinuity
    /// A tracker of Apple's Find My network. The kind is recognised; the content is not decoded.
    case findMy
    /// An unwanted-tracker beacon (DULT). The kind is recognised; the content is not decoded.
    case locationTracker
    /// Google Fast Pair. The kind is recognised; the content is not decoded.
    case fastPair
    /// Exposure Notification. The kind is recognised; the content is not decoded.
    case exposureNotification
    /// Encrypted Advertising Data of the Bluetooth SIG. The kind is recognised; the content is not decoded.
    case encryptedData

    /// A format of a program, with a name that no format of the library has, for example `cellar`.
    ///
    /// ``SensorDecoder/formats`` contains the types of such formats.
    case custom(String)

    /// Whether the company identifier of the data is a part of the measured values.
    ///
    /// Several sections of one device are then values of different times. False for a format of a program:
    /// ``AdvertisementFormat/hasMeasuredIdentifier`` of its type counts.
    public var hasMeasuredIdentifier: Bool { self == .inkbird || self == .thermoPro }

    /// Whether the format is one of a program.
    public var isCustom: Bool { if case .custom = self { true } else { false } }

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

extension SensorFormat {
    /// The formats of the library.
    public static let allCases: [SensorFormat] = [
        .bthome, .miBeacon, .ruuvi, .iBeacon, .tilt, .altBeacon, .eddystone, .atc1441, .pvvx, .bParasite, .govee,
        .inkbird, .thermoPro, .switchBot, .qingping, .sensirion, .miScale, .aranet, .oralB, .mopeka, .victron,
        .environmentalSensing, .appleContinuity, .findMy, .locationTracker, .fastPair, .exposureNotification,
        .encryptedData,
    ]

    /// The stable name, for files and JSON.
    public var rawValue: String {
        switch self {
        case .bthome: "bthome"
        case .miBeacon: "mibeacon"
        case .ruuvi: "ruuvi"
        case .iBeacon: "ibeacon"
        case .tilt: "tilt"
        case .altBeacon: "altbeacon"
        case .eddystone: "eddystone"
        case .atc1441: "atc1441"
        case .pvvx: "pvvx"
        case .bParasite: "b-parasite"
        case .govee: "govee"
        case .inkbird: "inkbird"
        case .thermoPro: "thermopro"
        case .switchBot: "switchbot"
        case .qingping: "qingping"
        case .sensirion: "sensirion"
        case .miScale: "miscale"
        case .aranet: "aranet"
        case .oralB: "oralb"
        case .mopeka: "mopeka"
        case .victron: "victron"
        case .environmentalSensing: "ess"
        case .appleContinuity: "apple-continuity"
        case .findMy: "find-my"
        case .locationTracker: "dult"
        case .fastPair: "fast-pair"
        case .exposureNotification: "exposure-notification"
        case .encryptedData: "encrypted-data"
        case .custom(let name): name
        }
    }

    /// The format of the library with a name; nil if there is none.
    public init?(rawValue: String) {
        guard let format = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = format
    }
}
