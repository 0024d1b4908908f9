import DBus

/// Quirks that are implemented as faults of calls.
extension Quirk {
    var faults: [Fault] {
        switch self {
        case .Q2: [Fault("Device1.Connect", calls: .only(1), .meanwhile { $0.crashForAWhile() })]
        case .Q7: [Fault("Device1.Connect", .late(.seconds(30)))]
        case .Q8: [Fault("WriteValue", calls: .only(1), .never)]
        case .Q9: [Fault("*", .refused { $0.waiting > 128 ? Self.tooManyReplies : nil })]
        case .Q15: [Fault("*", .error(DBusError.Name.accessDenied, Self.refusal))]
        case .Q22: [Fault("Properties.Set", at: "/org/bluez/hci*", calls: .only(1), .error("org.bluez.Error.Busy"))]
        case .Q28: [Fault("Device1.Connect", calls: .only(1), .meanwhile(after: .zero) { $0.replug($1) })]
        case .Q32:
            [Fault("Device1.Connect", calls: .only(1), .meanwhile(after: .milliseconds(50)) { $0.setPower(false) })]
        case .Q33: [Fault("StartDiscovery", .error(BlueZError.busy))]
        case .Q38: [Fault("StartDiscovery", calls: .first(3), .error(BlueZError.busy))]
        case .Q41: [Fault("StartDiscovery", .meanwhile(after: .seconds(10)) { $0.flickerDiscovering() })]
        case .Q42: [Fault("StartDiscovery", .meanwhile(after: .seconds(20)) { $0.stopReports() })]
        case .Q61: [Fault("Device1.Connect", .meanwhile(after: .seconds(1)) { $0.competingClient().remove($1) })]
        case .Q74: [Fault("Device1.Connect", .meanwhile(after: .seconds(1)) { $0.competingClient().disconnect($1) })]
        case .Q76: [Fault("Device1.Connect", calls: .first(2), .error(BlueZError.inProgress))]
        case .Q78:
            [
                Fault("Device1.Connect", .meanwhile(after: .milliseconds(20)) { $0.sendConnected(true, $1) }),
                Fault("Device1.Connect", .meanwhile(after: .milliseconds(40)) { $0.sendConnected(false, $1) }),
            ]
        case .Q81: [Fault("Device1.Connect", .refused { $0.links >= 5 ? ConnectError.tooManyLinks : nil })]
        case .Q83:
            [
                Fault("Device1.Connect", calls: .only(1), .late(.milliseconds(5120))),
                Fault("Device1.Connect", calls: .only(1), .error(ConnectError.pageTimeout)),
            ]
        case .Q89: [Fault("Device1.Pair", .error("org.bluez.Error.AlreadyExists", "Already Exists"))]
        case .Q94:
            [
                Fault("ReadValue", calls: .only(1), .error(BlueZError.inProgress)),
                Fault("WriteValue", calls: .only(1), .error(BlueZError.inProgress)),
            ]
        case .Q102: [Fault("StartNotify", .late(.milliseconds(1500)))]
        case .Q112: [Fault("ReadValue", calls: .only(1), .error(BlueZError.failed("Not connected")))]
        case .Q123:
            [Fault("Device1.Connect", calls: .only(1), .meanwhile(after: .milliseconds(50)) { $0.removeDevice($1) })]
        default: []
        }
    }

    /// The error of dbus-daemon at its limit of pending replies.
    private static let tooManyReplies = DBusError(
        name: DBusError.Name.limitsExceeded,
        message: "The maximum number of pending replies per connection has been reached")
    /// The text of dbus-daemon for a user that is not in the group `bluetooth`.
    private static let refusal =
        #"Rejected send message, 2 matched rules; type="method_call", sender=":1.34" (uid=1000 pid=4047 "#
        + #"comm="program") interface="org.bluez.Adapter1" error name="(unset)" requested_reply="0" "#
        + #"destination="org.bluez" (uid=0 pid=612 comm="bluetoothd")"#
}

/// The actions of the simulation that some quirks cause.
extension SimulatedBlueZ {
    func crashForAWhile() {
        crash()
        after(.seconds(2)) { $0.start() }
    }

    fileprivate func replug(_ call: RecordedCall) {
        guard let number = Int(call.path.dropFirst("/org/bluez/hci".count).prefix { $0 != "/" }) else { return }
        replugAdapter(number)
    }

    /// Removes a device without a call of a client, as bluetoothd sometimes does.
    fileprivate func removeDevice(_ call: RecordedCall) {
        control { _, daemon in
            for adapter in daemon?.adapters ?? [] {
                for device in adapter.devicesInOrder where device.path.description == call.path {
                    adapter.remove(device)
                }
            }
        }
    }

    fileprivate func flickerDiscovering() {
        control { _, daemon in
            for adapter in daemon?.adapters ?? [] where adapter.isDiscovering {
                for isDiscovering in [false, true] {
                    adapter.isDiscovering = isDiscovering
                    adapter.changed("Discovering")
                    adapter.tree.flush()
                }
            }
        }
    }

    /// Stops all advertising reports until the next scan starts.
    fileprivate func stopReports() {
        control { environment, _ in environment.radio.stopListening() }
    }

    fileprivate func sendConnected(_ isConnected: Bool, _ call: RecordedCall) {
        sendChanges(["Connected": .bool(isConnected)], of: "org.bluez.Device1", at: call.path)
    }
}

extension CompetingClient {
    fileprivate func disconnect(_ call: RecordedCall) { self.call(call.path, "Device1.Disconnect") }

    fileprivate func remove(_ call: RecordedCall) {
        guard let device = ObjectPath(call.path) else { return }
        self.call(device.parent.description, "Adapter1.RemoveDevice", .objectPath(device))
    }
}
