import Glibc
import RxBluetooth

extension SupervisionEvent {
    /// How severe the event is.
    var level: GatewayEvent.Level {
        switch report {
        case .ended(_, .helped, _), .recovered(_, .some), .waiting, .ready: break
        default: if isHarmless { return .debug }
        }
        return switch report {
        case .silent, .exhausted, .waiting, .relapsed: .warning
        case .began, .ended, .recovered, .ready: .info
        }
    }

    /// What happened, in one line.
    var text: String {
        switch report {
        case .silent(let symptom, _, let rate):
            "\(adapter) receives nothing (\(symptom.rawValue)); normal are \(rate.rounded(to: 2)) advertisements a second"
        case .began(let step, let round): "\(adapter): recovery step \(step.rawValue), round \(round)"
        case .ended(let step, let result, let time):
            "\(adapter): \(step.rawValue) \(result.text) after \(time.inSeconds) s"
        case .recovered(let silence, let step):
            "\(adapter) receives again after \(silence.inSeconds) s" + (step.map { ", by \($0.rawValue)" } ?? "")
        case .relapsed(let step): "\(adapter) is silent again; \(step.rawValue) has not helped for long"
        case .exhausted(let round, let pause):
            "\(adapter): no recovery step has helped in round \(round); the next one follows in \(pause.inSeconds) s"
        case .waiting(let obstacle): "\(adapter) cannot receive: \(obstacle.advice)"
        case .ready: "\(adapter) can receive again"
        }
    }
}

extension RecoveryReport.StepResult {
    fileprivate var text: String {
        switch self {
        case .helped: "has helped"
        case .noAdvertisements: "has not helped"
        case .failed(let reason): "has failed (\(reason))"
        case .cancelled: "was cancelled"
        }
    }
}

extension ScanObstacle {
    /// What is wrong, and what to do.
    var advice: String {
        switch self {
        case .poweredOff: "it is off; switch it on: bluetoothctl power on"
        case .blocked: "rfkill blocks it; unblock it: rfkill unblock bluetooth"
        case .noAdapter: "there is no Bluetooth adapter; plug it in"
        case .noDaemon: "bluetoothd does not run or does not answer; start it: systemctl start bluetooth"
        case .noBus: "the system bus is not available; check that dbus runs"
        case .unauthorized(nil) where geteuid() == 0:
            "the gateway may not use Bluetooth. \(AccessControl.rootPolicy.advice)"
        case .unauthorized(nil), .unauthorized(.busPolicy):
            "the gateway may not use Bluetooth; add its user to the group bluetooth"
        case .unauthorized(let access?): "the gateway may not use Bluetooth. \(access.advice)"
        }
    }
}

extension Double {
    /// Returns the number with at most this many decimals.
    fileprivate func rounded(to decimals: Int) -> Double {
        var factor = 1.0
        for _ in 0..<decimals { factor *= 10 }
        return (self * factor).rounded() / factor
    }
}
