public import Dispatch
public import Rx

// Names of CoreBluetooth and RxBluetoothKit that are different here: the compiler's error says what to use instead.
// No symbol is an overload of scanForPeripherals or discoverServices: that would change the errors for wrong arguments.

/// An unavailable symbol has no caller.
private func unavailable() -> Never { preconditionFailure("An unavailable symbol was called.") }

// MARK: Types

/// RxBluetoothKit's name.
@available(*, unavailable, renamed: "BluetoothManager")
public typealias CentralManager = BluetoothManager

/// CoreBluetooth's name.
@available(*, unavailable, renamed: "BluetoothManager")
public typealias CBCentralManager = BluetoothManager

/// CoreBluetooth's name.
@available(*, unavailable, renamed: "BluetoothState")
public typealias CBManagerState = BluetoothState

/// CoreBluetooth's name.
@available(*, unavailable, renamed: "Peripheral")
public typealias CBPeripheral = Peripheral

/// CoreBluetooth's name.
@available(*, unavailable, renamed: "Service")
public typealias CBService = Service

/// CoreBluetooth's name.
@available(*, unavailable, renamed: "Characteristic")
public typealias CBCharacteristic = Characteristic

/// CoreBluetooth's name.
@available(*, unavailable, renamed: "Descriptor")
public typealias CBDescriptor = Descriptor

/// CoreBluetooth's name.
@available(*, unavailable, renamed: "BluetoothUUID")
public typealias CBUUID = BluetoothUUID

/// CoreBluetooth's name.
@available(*, unavailable, renamed: "BluetoothError")
public typealias CBError = BluetoothError

/// CoreBluetooth's name.
@available(*, unavailable, message: "use BluetoothError and its attCode")
public typealias CBATTError = BluetoothError

// MARK: The manager

extension BluetoothManager {
    /// RxBluetoothKit's initialiser.
    @available(*, unavailable, message: "use BluetoothManager(configuration: .init(queue: queue))")
    public convenience init(queue: DispatchQueue) { unavailable() }

    /// CoreBluetooth's initialiser.
    @available(*, unavailable, message: "use BluetoothManager(configuration: .init(queue: queue))")
    public convenience init(delegate: AnyObject?, queue: DispatchQueue?) { unavailable() }

    /// RxBluetoothKit's name.
    @available(*, unavailable, renamed: "state")
    public func observeState() -> Observable<BluetoothState> { unavailable() }

    /// RxBluetoothKit's name.
    @available(*, unavailable, renamed: "state")
    public func observeStateWithInitialValue() -> Observable<BluetoothState> { unavailable() }

    /// CoreBluetooth's method.
    @available(*, unavailable, message: "dispose of the subscription to scanForPeripherals(withServices:options:)")
    public func stopScan() { unavailable() }

    /// The method of CoreBluetooth and RxBluetoothKit.
    @available(*, unavailable, renamed: "retrievePeripherals(withAddresses:)")
    public func retrievePeripherals<Identifier>(withIdentifiers identifiers: [Identifier]) -> Single<[Peripheral]> {
        unavailable()
    }

    /// RxBluetoothKit's method.
    @available(*, unavailable, message: "use peripheral.connect(options:)")
    public func establishConnection(
        _ peripheral: Peripheral, options: ConnectOptions = ConnectOptions()
    ) -> Observable<Peripheral> { unavailable() }

    /// CoreBluetooth's method.
    @available(*, unavailable, message: "use peripheral.connect(options:)")
    public func connect(
        _ peripheral: Peripheral, options: ConnectOptions = ConnectOptions()
    ) -> Observable<Peripheral> { unavailable() }

    /// CoreBluetooth's method.
    @available(*, unavailable, message: "dispose of the subscription to peripheral.connect(options:)")
    public func cancelPeripheralConnection(_ peripheral: Peripheral) -> Completable { unavailable() }

    /// RxBluetoothKit's method.
    @available(*, unavailable, message: "use peripheral.connectionState, or connectionChanges for all peripherals")
    public func observeConnect(for peripheral: Peripheral? = nil) -> Observable<Peripheral> { unavailable() }

    /// RxBluetoothKit's method.
    @available(*, unavailable, message: "use peripheral.connectionState, or connectionChanges for all peripherals")
    public func observeDisconnect(for peripheral: Peripheral? = nil) -> Observable<Peripheral> { unavailable() }
}

// MARK: Peripherals

extension Peripheral {
    /// The property of CoreBluetooth and RxBluetoothKit.
    @available(*, unavailable, renamed: "address", message: "BlueZ identifies a device by its address")
    public var identifier: BluetoothAddress { unavailable() }

    /// RxBluetoothKit's property.
    @available(*, unavailable, renamed: "connectionState", message: "it emits the present state first")
    public var isConnected: Bool { unavailable() }

    /// The property of CoreBluetooth and RxBluetoothKit.
    @available(*, unavailable, renamed: "connectionState", message: "it emits the present state first")
    public var state: ConnectionState { unavailable() }

    /// RxBluetoothKit's method.
    @available(*, unavailable, renamed: "connectionState")
    public func observeConnection() -> Observable<ConnectionState> { unavailable() }

    /// RxBluetoothKit's name.
    @available(*, unavailable, renamed: "connect(options:)")
    public func establishConnection(options: ConnectOptions = ConnectOptions()) -> Observable<Peripheral> {
        unavailable()
    }

    /// RxBluetoothKit's name.
    @available(*, unavailable, renamed: "observeModifiedServices()")
    public func observeServicesModification() -> Observable<[Service]> { unavailable() }

    /// The method of CoreBluetooth and RxBluetoothKit.
    @available(*, unavailable, message: "use service.discoverIncludedServices(_:)")
    public func discoverIncludedServices(
        _ services: [BluetoothUUID]? = nil, for service: Service
    ) -> Observable<Service> { unavailable() }

    /// The method of CoreBluetooth and RxBluetoothKit.
    @available(*, unavailable, message: "use service.discoverCharacteristics(_:)")
    public func discoverCharacteristics(
        _ characteristics: [BluetoothUUID]? = nil, for service: Service
    ) -> Observable<Characteristic> { unavailable() }

    /// The method of CoreBluetooth and RxBluetoothKit.
    @available(*, unavailable, message: "use characteristic.discoverDescriptors()")
    public func discoverDescriptors(for characteristic: Characteristic) -> Observable<Descriptor> { unavailable() }

    /// The method of CoreBluetooth and RxBluetoothKit.
    @available(*, unavailable, message: "use characteristic.readValue()")
    public func readValue(for characteristic: Characteristic) -> Single<[UInt8]> { unavailable() }

    /// The method of CoreBluetooth and RxBluetoothKit.
    @available(*, unavailable, message: "use characteristic.writeValue(_:type:)")
    public func writeValue(
        _ value: [UInt8], for characteristic: Characteristic, type: Characteristic.WriteType = .withResponse
    ) -> Completable { unavailable() }

    /// CoreBluetooth's method.
    @available(*, unavailable, message: "subscribe to characteristic.observeValueUpdates()")
    public func setNotifyValue(_ isEnabled: Bool, for characteristic: Characteristic) { unavailable() }

    /// RxBluetoothKit's method.
    @available(*, unavailable, message: "use characteristic.observeValueUpdates()")
    public func observeValueUpdate(for characteristic: Characteristic) -> Observable<[UInt8]> { unavailable() }

    /// RxBluetoothKit's method.
    @available(*, unavailable, message: "use characteristic.observeValueUpdates()")
    public func observeValueUpdateAndSetNotification(
        for characteristic: Characteristic
    ) -> Observable<[UInt8]> { unavailable() }
}

// MARK: Characteristics

extension Characteristic {
    /// The property of CoreBluetooth and RxBluetoothKit.
    @available(*, unavailable, message: "use readValue(), or observeValueUpdates() for notified values")
    public var value: [UInt8]? { unavailable() }

    /// RxBluetoothKit's name.
    @available(*, unavailable, renamed: "observeValueUpdates()")
    public func observeValueUpdate() -> Observable<[UInt8]> { unavailable() }

    /// RxBluetoothKit's name.
    @available(*, unavailable, renamed: "observeValueUpdates()")
    public func observeValueUpdateAndSetNotification() -> Observable<[UInt8]> { unavailable() }

    /// RxBluetoothKit's name before version 6.
    @available(*, unavailable, renamed: "observeValueUpdates()")
    public func setNotificationAndMonitorUpdates() -> Observable<[UInt8]> { unavailable() }

    /// RxBluetoothKit's name before version 6.
    @available(*, unavailable, renamed: "observeValueUpdates()")
    public func monitorValueUpdate() -> Observable<[UInt8]> { unavailable() }

    /// The method of other libraries.
    @available(*, unavailable, message: "subscribe to observeValueUpdates()")
    public func setNotifyValue(_ isEnabled: Bool) { unavailable() }
}
