import BluetoothValues
import RxBluetooth
import YAMLDocuments

/// Reads the filter, and the devices with their jobs.
extension ConfigurationReader {
    /// The most jobs of all devices. A job takes more work than its text, because its names are looked up.
    private static let mostJobs = 10_000

    func filter(_ value: YAMLValue) -> DeviceFilter {
        let members = value.members(["allow", "deny", "minimum-rssi", "unknown"])
        var filter = DeviceFilter()
        filter.allowed = members["allow"].map { prefixes($0) } ?? []
        filter.denied = members["deny"].map { prefixes($0) } ?? []
        filter.minimumRSSI = members["minimum-rssi"]?.integer(-127...20)
        set(&filter.includesUnknown, members["unknown"]?.flag())
        let denied = Set(filter.denied)
        for allowed in filter.allowed where denied.contains(allowed) {
            members["deny"]?.report("\(allowed) is allowed and denied", "remove it from one of the lists")
        }
        return filter
    }

    private func prefixes(_ value: YAMLValue) -> [String] {
        var prefixes: [String] = []
        var known = DevicePrefixes([])
        for element in value.list() {
            guard let text = element.text() else { continue }
            guard let prefix = DevicePrefix(text) else {
                element.reportInvalid("write an address such as A4:C1:38:00:00:01, or its first bytes")
                continue
            }
            if known.insert(prefix) {
                prefixes.append(prefix.text)
            } else {
                element.report("\(prefix.text) is in \(value.name) twice", "remove one of them")
            }
        }
        return prefixes
    }

    /// Reads the limits of devices that the list does not contain, or `false`.
    func otherDevices(_ value: YAMLValue) -> OtherDeviceSettings {
        var others = OtherDeviceSettings()
        if value.node.scalar != nil, !value.isNull {
            set(&others.arePublished, value.flag())
            return others
        }
        let members = value.members(["maximum", "messages-per-minute"])
        set(&others.maximum, members["maximum"]?.integer(1...100_000))
        set(&others.messagesPerMinute, members["messages-per-minute"]?.integer(10...10_000_000))
        return others
    }

    func devices(_ value: YAMLValue, _ filter: DeviceFilter) -> [DeviceSettings] {
        var devices: [DeviceSettings] = []
        var lines: [BluetoothAddress: Int] = [:]
        var identities: [DeviceKey: Int] = [:]
        let deniedPrefixes = DevicePrefixes(filter.denied)
        var jobs = 0
        for element in value.list() {
            let device = device(element, jobs: &jobs)
            guard jobs <= Self.mostJobs else { break }
            guard let device else { continue }
            if let line = lines[device.address] {
                element.report("\(device.address) is also described in line \(line)", "merge both entries")
                continue
            }
            lines[device.address] = element.node.line
            if let count = deniedPrefixes.countOfPrefix(of: device.address.number) {
                let denied = device.address.description.prefix(count * 3 - 1)
                element.report(
                    "\(device.address) is described, but denied by \(denied)", "remove one of them")
            }
            if let line = device.identityKey.flatMap({ identities.updateValue(element.node.line, forKey: $0) }) {
                element.report(
                    "\(element.name) has the identity-key of the device in line \(line)",
                    "each device has a key of its own")
            }
            devices.append(device)
        }
        return devices
    }

    /// Reads a device, and adds the number of its jobs. Returns nil after a mistake, and above the limit of jobs.
    private func device(_ value: YAMLValue, jobs count: inout Int) -> DeviceSettings? {
        let members = value.members([
            "address", "name", "key", "key-file", "identity-key", "identity-key-file", "jobs",
        ])
        var jobs: [GATTJob] = []
        var known: Set<GATTJob.Work> = []
        for element in members["jobs"]?.list() ?? [] {
            count += 1
            guard count <= Self.mostJobs else {
                element.report("the devices have more than \(Self.mostJobs) jobs", "remove jobs or devices")
                return nil
            }
            guard let job = job(element) else { continue }
            if known.insert(job.work).inserted {
                jobs.append(job)
            } else {
                element.report("\(element.name) repeats an earlier job", "remove one of them")
            }
        }
        let name = members["name"].flatMap(deviceName)
        let key = secretKey(
            members, "key", bytes: [12, 16], "write 32 hexadecimal digits, or 24 for a legacy key of MiBeacon")
        let identityKey = secretKey(members, "identity-key", bytes: [16], "write 32 hexadecimal digits")
        guard let part = members["address"] else {
            value.report("\(value.name) has no address", "add the key address")
            return nil
        }
        guard let address = part.node.scalar.flatMap({ BluetoothAddress($0) }) else {
            part.reportInvalid("write an address such as A4:C1:38:00:00:01")
            return nil
        }
        var device = DeviceSettings(address: address)
        device.name = name
        device.key = key
        device.identityKey = identityKey
        device.jobs = jobs
        return device
    }

    private func deviceName(_ value: YAMLValue) -> String? {
        guard let name = value.text() else { return nil }
        guard name.utf8.count <= 64, !name.unicodeScalars.contains(where: \.isControl) else {
            value.reportInvalid("write at most 64 bytes without control characters")
            return nil
        }
        return name
    }

    /// Reads a key of one of some lengths, or a file with it.
    private func secretKey(_ members: YAMLMembers, _ name: String, bytes: Set<Int>, _ advice: String) -> DeviceKey? {
        let read = { (text: String) in bytes.contains(text.utf8.count / 2) ? DeviceKey(text) : nil }
        if let file = members["\(name)-file"] {
            if members[name] != nil { file.report("\(file.name) and \(name) are both given", "remove one of them") }
            guard let line = secretLine(file) else { return nil }
            guard let key = read(line) else {
                file.report("the file of \(file.name) has no valid key", advice)
                return nil
            }
            return key
        }
        guard let value = members[name] else { return nil }
        checkConfigurationIsPrivate(for: value)
        // The text is not quoted, because it may be a key with a mistake.
        guard let key = value.node.scalar.flatMap(read) else {
            value.report("\(value.name) is not a key", advice)
            return nil
        }
        return key
    }

    private func job(_ value: YAMLValue) -> GATTJob? {
        let members = value.members(["read", "notify", "every", "service", "name"])
        let service = members["service"].flatMap { uuid($0, named: BluetoothUUID.service(named:), example: "180F") }
        let name = members["name"].flatMap(deviceName)
        let every = members["every"].flatMap { $0.duration(.seconds(1) ... .seconds(7 * 86_400)) }
        guard (members["read"] == nil) != (members["notify"] == nil) else {
            value.report(
                "\(value.name) has not exactly one of read and notify", "write one of them with a characteristic")
            return nil
        }
        guard let part = members["read"] ?? members["notify"],
            let characteristic = uuid(part, named: BluetoothUUID.characteristic(named:), example: "2A19")
        else { return nil }
        var kind = GATTJob.Kind.notify
        if members["read"] != nil {
            guard members["every"] != nil else {
                value.report("\(value.name) has no key every", "add the time between two reads, such as every: 10 min")
                return nil
            }
            guard let every else { return nil }
            kind = .read(every: every)
        } else if let every = members["every"] {
            every.report("\(every.name) has no effect on notifications", "remove it")
        }
        var job = GATTJob(kind, of: characteristic, in: service)
        job.name = name
        return job
    }

    private func uuid(_ value: YAMLValue, named: (String) -> BluetoothUUID?, example: String) -> BluetoothUUID? {
        guard let text = value.text() else { return nil }
        guard let uuid = BluetoothUUID(text) ?? named(text) else {
            value.reportInvalid("write a UUID such as \(example), in quotes if it has only digits, or an assigned name")
            return nil
        }
        return uuid
    }
}

extension GATTJob {
    /// What two jobs of a device must not have in common: one use of one characteristic.
    fileprivate struct Work: Hashable {
        let characteristic: BluetoothUUID
        let service: BluetoothUUID?
        let isNotification: Bool
    }

    fileprivate var work: Work {
        Work(characteristic: characteristic, service: service, isNotification: kind == .notify)
    }
}
