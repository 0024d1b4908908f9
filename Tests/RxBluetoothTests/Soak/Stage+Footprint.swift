import BusTesting
import Rx
import RxBluetoothMocks
import SoakTesting

extension Stage {
    /// The resources now. Cancelled actions do not count, but the clock keeps their objects until their time is over.
    func footprint() -> Footprint {
        let bus = simulation.bus
        return Footprint(
            matchRules: (bus as? VirtualTimeBus)?.matchRules ?? (bus as? LoopbackBus)?.matchRules ?? 0,
            timers: scheduler.debugDescription.split { !$0.isNumber }.count)
    }
}
