import DBus

/// Applies advertisements to a device.
///
/// Source: btd_adapter_update_found_device in src/adapter.c, and src/device.c.
extension DaemonDevice {
    func take(
        _ report: AdvertisingReport, rssi: Int16, threshold: Int16, keepsDuplicates: Bool, includingName: Bool = true
    ) {
        let isSame = report === lastReport
        if isSame, keepsDuplicates, threshold == 0, repeatReport(rssi) { return }
        setStrength(rssi, threshold: threshold)
        if !isSame || txPower == nil { takeFields(of: report, includingName: includingName) }
        guard !isSame || keepsDuplicates else { return }
        if manufacturerData.take(report.manufacturerData, clearing: keepsDuplicates) { changed(index.manufacturerData) }
        if serviceData.take(report.serviceData, clearing: keepsDuplicates) { changed(index.serviceData) }
        if report.flags != flags {
            flags = report.flags
            changed("AdvertisingFlags")
        }
        // The next packet of a scan may add the name.
        lastReport = includingName ? report : nil
        repeats = [:]
    }

    /// Sends the signal for a packet that differs from the last packet at most in its RSSI.
    ///
    /// This is the case for most packets, so their signals are cached by RSSI.
    /// If other properties may change, sends nothing and returns false.
    private func repeatReport(_ rssi: Int16) -> Bool {
        guard let object, self.rssi != 0, txPower == lastReport?.txPower, tree.isSettled(object) else { return false }
        self.rssi = rssi
        if let signal = repeats[rssi] {
            tree.send(signal)
        } else {
            let indices = [index.rssi, index.manufacturerData, index.serviceData]
            repeats[rssi] = tree.sendValues(of: object, indices)
        }
        return true
    }

    /// Sets the RSSI; 0 for none. Ignores changes by less than the threshold (Q47).
    private func setStrength(_ new: Int16, threshold: Int16) {
        if rssi == 0 || new == 0 {
            guard rssi != new else { return }
        } else if abs(rssi - new) < threshold {
            return
        }
        rssi = new
        changed(index.rssi)
    }

    private func takeFields(of report: AdvertisingReport, includingName: Bool) {
        if let power = report.txPower, power != txPower {
            txPower = power
            changed("TxPower")
        }
        setAppearance(report.appearance)
        if includingName { setName(report.name(adapter.differences)) }
        guard resolvedServices == nil else { return }
        let new = report.services.filter { !advertisedServices.contains($0) }
        guard !new.isEmpty else { return }
        advertisedServices += new
        changed("UUIDs")
    }

    /// Sets the name; nil leaves it unchanged, and an empty name removes it, as in btd_device_device_set_name.
    func setName(_ new: String?) {
        guard let new, new != name ?? "" else { return }
        name = new.isEmpty ? nil : new
        store()
        changed("Name")
        if alias == nil { changed("Alias") }
    }

    func setAppearance(_ new: UInt16?) {
        guard let new, new != 0, new != appearance else { return }
        appearance = new
        changed("Appearance")
        changed("Icon")
    }

    /// Removes the RSSI and the TX power, as at the end of the last scan (Q54).
    func forgetStrength() {
        setStrength(0, threshold: 0)
        guard txPower != nil else { return }
        txPower = nil
        changed("TxPower")
    }
}
