import FoundationEssentials
public import Rx

/// Resets a radio by rfkill: blocks and unblocks it.
///
/// This needs write access to `/dev/rfkill`, which udev gives to users at the seat, and a unit by `DeviceAllow=` and a
/// group. Source: Linux, `Documentation/driver-api/rfkill.rst`, `include/uapi/linux/rfkill.h`.
public struct RadioReset: Sendable {
    private let device: String
    private let switches: String

    /// Creates a reset.
    ///
    /// - Parameters:
    ///   - device: The device of rfkill.
    ///   - switches: The folder of the kernel with the switches and their names.
    public init(device: String = "/dev/rfkill", switches: String = "/sys/class/rfkill") {
        self.device = device
        self.switches = switches
    }

    /// Whether the device can be opened for writing.
    public var isPermitted: Bool { FileManager.default.isWritableFile(atPath: device) }

    /// Blocks the radio with this name, for example `hci0`, and unblocks it 0.5 s later.
    ///
    /// Completes when the radio is unblocked. Fails if it has no switch or the device cannot be written. A disposal
    /// after the first write unblocks the radio at once.
    public func run(_ name: String, on scheduler: any SchedulerType) -> Completable {
        Completable.create { observer in
            do {
                let index = try number(of: name)
                try write(index, isBlocked: true)
                let unblock = scheduler.scheduleRelative((), dueTime: .milliseconds(500)) { _ in
                    do {
                        try write(index, isBlocked: false)
                        observer(.completed)
                    } catch {
                        observer(.error(error))
                    }
                    return Disposables.create()
                }
                return Disposables.create {
                    unblock.dispose()
                    try? write(index, isBlocked: false)
                }
            } catch {
                observer(.error(error))
                return Disposables.create()
            }
        }
    }

    /// Returns the number of the switch with a name.
    private func number(of name: String) throws -> UInt32 {
        for folder in try FileManager.default.contentsOfDirectory(atPath: switches) where folder.hasPrefix("rfkill") {
            let text = try? String(contentsOfFile: "\(switches)/\(folder)/name", encoding: .utf8)
            guard text?.split(separator: "\n").first.map(String.init) == name else { continue }
            if let number = UInt32(folder.dropFirst("rfkill".count)) { return number }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// Writes an event: the number, the type Bluetooth, the operation “change”, and the states of both switches.
    private func write(_ index: UInt32, isBlocked: Bool) throws {
        let number = (0..<4).map { UInt8(truncatingIfNeeded: index.littleEndian >> (8 * $0)) }
        try Data(number + [2, 2, isBlocked ? 1 : 0, 0]).write(to: URL(filePath: device))
    }
}
