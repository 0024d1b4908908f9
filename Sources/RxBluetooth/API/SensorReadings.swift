public import BluetoothValues
public import Rx

extension ScannedPeripheral {
    /// What the advertisement says, independent of its format; nil if it has none of the known formats.
    ///
    /// The advertisement is decoded when the property is read, so scans that do not need readings cost nothing more.
    /// Encrypted formats need a key in ``BluetoothManager/Configuration/keys``. If the advertisement has several known
    /// formats, the first one with values counts; ``readings`` has all of them. A phone or tracker has a reading
    /// without values.
    ///
    /// The manager compares packet counters in the order in which readings are requested. Reading the property of one
    /// result again returns the same reading. For a packet that was repeated, `SensorReading.isRepeated` is true and
    /// there are no events. ``readingFailure`` is the reason if an advertisement of a known format has no reading.
    public var reading: SensorReading? {
        let readings = readings
        return readings.first { !$0.format.isRecognisedOnly } ?? readings.first
    }

    /// The readings of all known formats in the advertisement, in the order of its sections.
    public var readings: [SensorReading] {
        results().compactMap { if case .reading(let reading) = $0.result { reading } else { nil } }
    }

    /// Why the advertisement of a known format was refused; nil if it was decoded, or has no known format.
    ///
    /// Reasons are, for example, a malformed payload, a missing or wrong key, and an old packet that was sent again.
    /// The error contains the bytes. ``BluetoothEvent/Kind/readingRefused(_:_:)`` reports it too.
    public var readingFailure: ValueDecodingError? {
        for case .failure(let error) in results().lazy.map(\.result) { return error }
        return nil
    }

    /// Decodes the advertisement as one format; nil if it has another format, or was refused.
    ///
    /// The format may be one of the program, with a `SensorFormat.custom`, which is then one of the manager's formats.
    ///
    /// The value has the numbers that the device sent. Those that its sensor cannot have measured are not separated;
    /// ``reading`` has only possible ones.
    ///
    /// - Parameter type: The type of the format, for example `RuuviTag.self`.
    public func value<Format: AdvertisementFormat>(as type: Format.Type) -> Format? { decoded(as: type)?.value }

    func decoded<Format: AdvertisementFormat>(as type: Format.Type) -> (value: Format, reading: SensorReading)? {
        peripheral.sensorReader?.add(type)
        for (section, result) in results([type]) {
            guard case .reading(let reading) = result, reading.format == Format.format else { continue }
            let name = advertisementData.localName
            let sender =
                peripheral.sensorReader?.sender(peripheral.address, name: name)
                ?? Sender(address: SenderAddress(peripheral.address), name: name)
            if let value = try? Format(section, from: sender) { return (value, reading) }
        }
        return nil
    }

    /// The results of all sections that have a known format.
    private func results(
        _ formats: [any AdvertisementFormat.Type] = []
    ) -> [(section: AdvertisedSection, result: SensorResult)] {
        let known = peripheral.sensorReader?.formats ?? formats.filter { $0.format.isCustom }
        let sections = advertisementData.sections(knowing: known)
        return sections.compactMap { section in
            let result = decode(section, among: sections, formats)
            return result == .unknown ? nil : (section, result)
        }
    }

    private func decode(
        _ section: AdvertisedSection, among sections: [AdvertisedSection], _ formats: [any AdvertisementFormat.Type]
    ) -> SensorResult {
        if let reader = peripheral.sensorReader { return reader.decode(section, among: sections, of: self) }
        // A peripheral without a manager, for example in a test, has neither keys nor earlier packets.
        var decoder = SensorDecoder(formats: formats.filter { $0.format.isCustom })
        return decoder.decode(
            section, from: SenderAddress(peripheral.address), name: advertisementData.localName, among: sections)
    }
}

/// A decoded advertisement of a scan for one format.
public struct ScannedSensor<Format: AdvertisementFormat>: Sendable {
    /// The scan result that contains the advertisement.
    public let scanned: ScannedPeripheral
    /// The decoded advertisement, with the numbers that the device sent.
    public let value: Format
    /// The same content, independent of the format.
    ///
    /// Only the reading shows whether the packet repeats an earlier one, has the events of each packet once, and has
    /// only values that are possible.
    public let reading: SensorReading

    /// The peripheral that has sent the advertisement.
    public var peripheral: Peripheral { scanned.peripheral }
    /// The RSSI in dBm; nil if bluetoothd does not report it.
    public var rssi: Int? { scanned.rssi }
}

extension BluetoothManager {
    /// Scans for the advertisements of one format, for example `RuuviTag.self`, or a format of the program.
    ///
    /// Emits each advertisement of the format that can be decoded, and never completes. An advertisement that is
    /// malformed, or that cannot be decrypted with the ``Configuration/keys``, does not end the scan: it is omitted and
    /// reported as ``BluetoothEvent/Kind/readingRefused(_:_:)``. Cold; the scan is the same as that of
    /// ``scanForPeripherals(withServices:options:)``, and fails with the same errors. Delivers on the manager's queue.
    ///
    /// - Parameters:
    ///   - format: The type of the format.
    ///   - options: The options of the scan. ``ScanOptions/allowsDuplicates`` is always true.
    public func scan<Format: AdvertisementFormat>(
        for format: Format.Type, options: ScanOptions = ScanOptions()
    ) -> Observable<ScannedSensor<Format>> {
        var options = options
        options.allowsDuplicates = true
        return scanForPeripherals(options: options).compactMap { scanned in
            scanned.decoded(as: format).map { ScannedSensor(scanned: scanned, value: $0.value, reading: $0.reading) }
        }
    }
}
