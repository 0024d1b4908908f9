public import Rx

extension BluetoothManager {
    /// What the manager does and meets, from the moment of subscription: what waits in queues and how long, retries, drops, scan
    /// sessions, links, and steps of recovery.
    ///
    /// Never fails and never completes. Hot; subscribing neither connects nor opens the bus. Delivered on the manager's
    /// queue, where 1024 may wait; of more the eldest are lost, which leaves a gap in ``BluetoothEvent/number``. While nobody
    /// subscribes no event is made.
    public var events: Observable<BluetoothEvent> { access.settings.eventLog.events }
}
