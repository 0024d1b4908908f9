extension SensorDecoder {
    /// Returns the format of a section; nil if it has none of the known formats.
    ///
    /// It does not check more than identifier, length and constant bytes, and the data of SwitchBot for its kind. A
    /// section with a wrong length has a format if its identifier and constant bytes leave no doubt.
    ///
    /// - Parameters:
    ///   - section: The bytes and where they are.
    ///   - name: The advertised name.
    ///   - sections: All sections of the advertisement, as far as they are known.
    public static func format(
        of section: AdvertisedSection, name: String? = nil, among sections: [AdvertisedSection] = []
    ) -> SensorFormat? {
        switch section.kind {
        case .manufacturer: manufacturerFormat(section, name, sections)
        case .service: serviceFormat(section)
        case .structure: RecognisedDevice.format(section)
        }
    }

    private static func manufacturerFormat(
        _ section: AdvertisedSection, _ name: String?, _ sections: [AdvertisedSection]
    ) -> SensorFormat? {
        // The company identifier of these devices is a measured value, which may equal any company's.
        if let name {
            if Inkbird.matches(section, name: name) { return .inkbird }
            if ThermoPro.matches(section, name: name) { return .thermoPro }
        }
        switch section.identifier {
        case RuuviTag.company: return .ruuvi
        case IBeacon.company:
            guard IBeacon.matches(section, name: nil) else { return RecognisedDevice.format(section) }
            return Tilt.matches(section, name: nil) ? .tilt : .iBeacon
        // Buttons of Govee have the same identifier, and another first byte.
        case 0xEC88: if section.bytes.first == 0 { return .govee }
        case 0x0001, 0x8801: if Govee.matches(section, name: name) { return .govee }
        case SwitchBot.company: if SwitchBot.isMeter(section, among: sections) { return .switchBot }
        case Sensirion.company: return .sensirion
        case Aranet.company: return .aranet
        case OralB.company: return .oralB
        case Mopeka.company: if Mopeka.resembles(section) { return .mopeka }
        case Victron.company: if Victron.matches(section, name: nil) { return .victron }
        default: break
        }
        return AltBeacon.matches(section, name: nil) ? .altBeacon : nil
    }

    private static func serviceFormat(_ section: AdvertisedSection) -> SensorFormat? {
        switch section.identifier {
        case BTHome.service: return .bthome
        case MiBeacon.service: return .miBeacon
        case Eddystone.service:
            return Eddystone.matches(section, name: nil) ? .eddystone : RecognisedDevice.format(section)
        case ATC1441.service:
            switch section.bytes.count {
            // Others use this service of the Bluetooth SIG as well, so the lengths far below are unknown.
            case 8...10, 12, 13: return .atc1441
            case 11, 14, 15: return .pvvx
            case 16...: return .bParasite
            default: return nil
            }
        case SwitchBot.service: return SwitchBot.matches(section, name: nil) ? .switchBot : nil
        case Qingping.service: return .qingping
        case MiScale.service1, MiScale.service2: return .miScale
        case EnvironmentalData.services:
            return EnvironmentalData.records[section.identifier] == nil ? nil : .environmentalSensing
        default: return RecognisedDevice.format(section)
        }
    }
}
