public import Dispatch
public import Rx

// Declares names of CoreBluetooth and RxBluetoothKit as unavailable, so that compiler errors name the replacement.
// Has no overload of scanForPeripherals or discoverServices: overloads would change the errors for wrong arguments.

/// The body of all unavailable symbols, which no program can call.
private func unavailable() -> Never { preconditionFailure("An unavailable symbol was called.") }

// MARK: Types

/// The name of ``BluetoothManager`` in RxBluetoothKit.
@available(*, unavailable, renamed: "BluetoothManager")
public typealias CentralManager = BluetoothManager

/// The name of ``BluetoothManager`` in CoreBluetooth.
@available(*, unavailable, renamed: "BluetoothManager")
public typealias CBCentralManager = BluetoothManager

/// The name of ``BluetoothState`` in CoreBluetooth.
@available(*, unavailable, renamed: "BluetoothState")
public typealias CBManagerState = BluetoothState

/// The name of ``Peripheral`` in CoreBluetooth.
@available(*, unavailable, renamed: "Peripheral")
public typealias CBPeripheral = Peripheral

/// The name of ``Service`` in CoreBluetooth.
@available(*, unavailable, renamed: "Service")
public typealias CBService = Service

/// The name of ``Characteristic`` in CoreBluetooth.
@available(*, unavailable, renamed: "Characteristic")
public typealias CBCharacteristic = Characteristic

/// The name of ``Descriptor`` in CoreBluetooth.
@available(*, unavailable, renamed: "Descriptor")
public typealias CBDescriptor = Descriptor

/// The name of ``LocalService`` in CoreBluetooth.
@available(*, unavailable, renamed: "LocalService")
public typealias CBMutableService = LocalService

/// The name of ``LocalCharacteristic`` in CoreBluetooth.
@available(*, unavailable, renamed: "LocalCharacteristic")
public typealias CBMutableCharacteristic = LocalCharacteristic

/// The name of ``LocalDescriptor`` in CoreBluetooth.
@available(*, unavailable, renamed: "LocalDescriptor")
public typealias CBMutableDescriptor = LocalDescriptor

/// The name of ``ATTRequest`` in CoreBluetooth.
@available(*, unavailable, renamed: "ATTRequest")
public typealias CBATTRequest = ATTRequest

/// The name of ``Central`` in CoreBluetooth.
@available(*, unavailable, renamed: "Central")
public typealias CBCentral = Central

/// The name of ``BluetoothUUID`` in CoreBluetooth.
@available(*, unavailable, renamed: "BluetoothUUID")
public typealias CBUUID = BluetoothUUID

/// The name of ``BluetoothError`` in CoreBluetooth.
@available(*, unavailable, renamed: "BluetoothError")
public typealias CBError = BluetoothError

/// A type of CoreBluetooth that this library does not have.
@available(*, unavailable, message: "use BluetoothError and its attCode")
public typealias CBATTError = BluetoothError

// MARK: The manager

extension BluetoothManager {
    /// An initialiser of RxBluetoothKit that this library does not have.
    @available(*, unavailable, message: "use BluetoothManager(configuration: .init(queue: queue))")
    public convenience init(queue: DispatchQueue) { unavailable() }

    /// An initialiser of CoreBluetooth that this library does not have.
    @available(*, unavailable, message: "use BluetoothManager(configuration: .init(queue: queue))")
    public convenience init(delegate: AnyObject?, queue: DispatchQueue?) { unavailable() }

    /// The name of ``state`` in RxBluetoothKit.
    @available(*, unavailable, renamed: "state")
    public func observeState() -> Observable<BluetoothState> { unavailable() }

    /// The name of ``state`` in RxBluetoothKit.
    @available(*, unavailable, renamed: "state")
    public func observeStateWithInitialValue() -> Observable<BluetoothState> { unavailable() }

    /// A method of CoreBluetooth that this library does not have.
    @available(*, unavailable, message: "dispose of the subscription to scanForPeripherals(withServices:options:)")
    public func stopScan() { unavailable() }

    /// The name of ``retrievePeripherals(withAddresses:)`` in CoreBluetooth and RxBluetoothKit.
    @available(*, unavailable, renamed: "retrievePeripherals(withAddresses:)")
    public func retrievePeripherals<Identifier>(withIdentifiers identifiers: [Identifier]) -> Single<[Peripheral]> {
        unavailable()
    }

    /// A method of RxBluetoothKit that this library does not have.
    @available(*, unavailable, message: "use peripheral.connect(options:)")
    public func establishConnection(
        _ peripheral: Peripheral, options: ConnectOptions = ConnectOptions()
    ) -> Observable<Peripheral> { unavailable() }

    /// A method of CoreBluetooth that this library does not have.
    @available(*, unavailable, message: "use peripheral.connect(options:)")
    public func connect(
        _ peripheral: Peripheral, options: ConnectOptions = ConnectOptions()
    ) -> Observable<Peripheral> { unavailable() }

    /// A method of CoreBluetooth that this library does not have.
    @available(*, unavailable, message: "dispose of the subscription to peripheral.connect(options:)")
    public func cancelPeripheralConnection(_ peripheral: Peripheral) -> Completable { unavailable() }

    /// A method of RxBluetoothKit that this library does not have.
    @available(*, unavailable, message: "use peripheral.connectionState, or connectionChanges for all peripherals")
    public func observeConnect(for peripheral: Peripheral? = nil) -> Observable<Peripheral> { unavailable() }

    /// A method of RxBluetoothKit that this library does not have.
    @available(*, unavailable, message: "use peripheral.connectionState, or connectionChanges for all peripherals")
    public func observeDisconnect(for peripheral: Peripheral? = nil) -> Observable<Peripheral> { unavailable() }
}

// MARK: Peripherals

extension Peripheral {
    /// The name of ``address`` in CoreBluetooth and RxBluetoothKit.
    @available(*, unavailable, renamed: "address", message: "BlueZ identifies a device by its address")
    public var identifier: BluetoothAddress { unavailable() }

    /// The name of ``connectionState`` in RxBluetoothKit.
    @available(*, unavailable, renamed: "connectionState", message: "it emits the present state first")
    public var isConnected: Bool { unavailable() }

    /// The name of ``connectionState`` in CoreBluetooth and RxBluetoothKit.
    @available(*, unavailable, renamed: "connectionState", message: "it emits the present state first")
    public var state: ConnectionState { unavailable() }

    /// The name of ``connectionState`` in RxBluetoothKit.
    @available(*, unavailable, renamed: "connectionState")
    public func observeConnection() -> Observable<ConnectionState> { unavailable() }

    /// The name of ``connect(options:)`` in RxBluetoothKit.
    @available(*, unavailable, renamed: "connect(options:)")
    public func establishConnection(options: ConnectOptions = ConnectOptions()) -> Observable<Peripheral> {
        unavailable()
    }

    /// The name of ``observeModifiedServices()`` in RxBluetoothKit.
    @available(*, unavailable, renamed: "observeModifiedServices()")
    public func observeServicesModification() -> Observable<[Service]> { unavailable() }

    /// A method of CoreBluetooth and RxBluetoothKit that this library does not have.
    @available(*, unavailable, message: "use service.discoverIncludedServices(_:)")
    public func discoverIncludedServices(
        _ services: [BluetoothUUID]? = nil, for service: Service
    ) -> Observable<Service> { unavailable() }

    /// A method of CoreBluetooth and RxBluetoothKit that this library does not have.
    @available(*, unavailable, message: "use service.discoverCharacteristics(_:)")
    public func discoverCharacteristics(
        _ characteristics: [BluetoothUUID]? = nil, for service: Service
    ) -> Observable<Characteristic> { unavailable() }

    /// A method of CoreBluetooth and RxBluetoothKit that this library does not have.
    @available(*, unavailable, message: "use characteristic.discoverDescriptors()")
    public func discoverDescriptors(for characteristic: Characteristic) -> Observable<Descriptor> { unavailable() }

    /// A method of CoreBluetooth and RxBluetoothKit that this library does not have.
    @available(*, unavailable, message: "use characteristic.readValue()")
    public func readValue(for characteristic: Characteristic) -> Single<[UInt8]> { unavailable() }

    /// A method of CoreBluetooth and RxBluetoothKit that this library does not have.
    @available(*, unavailable, message: "use characteristic.writeValue(_:type:)")
    public func writeValue(
        _ value: [UInt8], for characteristic: Characteristic, type: Characteristic.WriteType = .withResponse
    ) -> Completable { unavailable() }

    /// A method of CoreBluetooth that this library does not have.
    @available(*, unavailable, message: "subscribe to characteristic.observeValueUpdates()")
    public func setNotifyValue(_ isEnabled: Bool, for characteristic: Characteristic) { unavailable() }

    /// A method of RxBluetoothKit that this library does not have.
    @available(*, unavailable, message: "use characteristic.observeValueUpdates()")
    public func observeValueUpdate(for characteristic: Characteristic) -> Observable<[UInt8]> { unavailable() }

    /// A method of RxBluetoothKit that this library does not have.
    @available(*, unavailable, message: "use characteristic.observeValueUpdates()")
    public func observeValueUpdateAndSetNotification(
        for characteristic: Characteristic
    ) -> Observable<[UInt8]> { unavailable() }
}

// MARK: Characteristics

extension Characteristic {
    /// A property of CoreBluetooth and RxBluetoothKit that this library does not have.
    @available(*, unavailable, message: "use readValue(), or observeValueUpdates() for notified values")
    public var value: [UInt8]? { unavailable() }

    /// The name of ``observeValueUpdates(using:buffer:options:)`` in RxBluetoothKit.
    @available(*, unavailable, renamed: "observeValueUpdates()")
    public func observeValueUpdate() -> Observable<[UInt8]> { unavailable() }

    /// The name of ``observeValueUpdates(using:buffer:options:)`` in RxBluetoothKit.
    @available(*, unavailable, renamed: "observeValueUpdates()")
    public func observeValueUpdateAndSetNotification() -> Observable<[UInt8]> { unavailable() }

    /// The name of ``observeValueUpdates(using:buffer:options:)`` in RxBluetoothKit before version 6.
    @available(*, unavailable, renamed: "observeValueUpdates()")
    public func setNotificationAndMonitorUpdates() -> Observable<[UInt8]> { unavailable() }

    /// The name of ``observeValueUpdates(using:buffer:options:)`` in RxBluetoothKit before version 6.
    @available(*, unavailable, renamed: "observeValueUpdates()")
    public func monitorValueUpdate() -> Observable<[UInt8]> { unavailable() }

    /// A method of other Bluetooth libraries that this library does not have.
    @available(*, unavailable, message: "subscribe to observeValueUpdates()")
    public func setNotifyValue(_ isEnabled: Bool) { unavailable() }
}
