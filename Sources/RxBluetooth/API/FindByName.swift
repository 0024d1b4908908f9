public import Rx

extension BluetoothManager {
    /// Finds a device by its advertised name.
    ///
    /// Emits the first peripheral that advertises exactly this name, and stops the scan. Cold. Delivers on the
    /// manager's queue. Example:
    ///
    ///     let strap = try await manager.find(name: "Heart rate strap", within: .seconds(10)).value
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/timedOut`` if no device with this name was received within the limit.
    /// - ``BluetoothError/Kind/invalidArgument`` if the limit is zero or less.
    /// - The errors of ``scanForPeripherals(withServices:options:)``.
    ///
    /// - Parameters:
    ///   - name: The whole name, with the same upper and lower case letters.
    ///   - limit: The longest time of the scan. Default: 10 s.
    ///   - options: The options of the scan. The condition for the name is added to each of its filters.
    public func find(
        name: String, within limit: Duration = .seconds(10), options: ScanOptions = ScanOptions()
    ) -> Single<Peripheral> {
        let target = "the device “\(name)”"
        var options = options
        options.filters = options.filters.isEmpty ? [ScanFilter()] : options.filters
        for index in options.filters.indices { options.filters[index].name = .exact(name) }
        let notFound = BluetoothError(
            .timedOut, operation: .scan, target: target,
            detail: "No device with this name was received in \(limit.spoken)")
        guard limit > .zero else {
            let error = BluetoothError(
                .invalidArgument, operation: .scan, target: target,
                detail: "The time limit must be longer than zero")
            return Observable<Peripheral>.error(error).observe(on: access.settings.scheduler).asSingle()
        }
        return scanForPeripherals(options: options)
            .map(\.peripheral)
            .timeout(limit, other: Observable<Peripheral>.error(notFound), scheduler: access.settings.scheduler)
            .take(1)
            .asSingle()
    }
}
