/// The structures of characteristics, by UUID. Source: GATT Specification Supplement and Assigned Numbers.
enum SIGStructures {
    static let all: [CharacteristicStructure] =
        (ofServices + ofGenericAttributes + ofDevices + ofMedia + ofFitnessMachines + from2A06 + from2A84 + from2AD5
        + from2B4C)
        .sorted { $0.uuid < $1.uuid }
}
