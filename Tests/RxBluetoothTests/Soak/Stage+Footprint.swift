import BusTesting
import Rx
import RxBluetoothMocks
import SoakTesting

extension Stage {
    /// Returns the present resources.
    ///
    /// Cancelled actions do not count as timers, but the clock retains their objects until their times have passed.
    func footprint() -> Footprint {
        let bus = simulation.bus
        simulation.bluez.removeClosedManagementSockets()
        advance(0)
        return Footprint(
            matchRules: (bus as? VirtualTimeBus)?.matchRules ?? (bus as? LoopbackBus)?.matchRules ?? 0,
            timers: scheduler.debugDescription.split { !$0.isNumber }.count,
            exports: (bus as? LoopbackBus)?.exports ?? 0)
    }
}
