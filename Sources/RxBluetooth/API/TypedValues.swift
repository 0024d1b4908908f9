public import BluetoothValues
public import Rx

extension Peripheral {
    /// Finds a characteristic of the connected peripheral by its UUID.
    ///
    /// Emits the characteristic once. bluetoothd reads all services when it connects, so the search waits until they
    /// are read, and sends no request. Cold. With ``ConnectOptions/reconnection``, the search starts again after link
    /// loss. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/attributeNotFound`` if there is no such characteristic.
    /// - ``BluetoothError/Kind/invalidArgument`` if there are several, because the choice would be arbitrary.
    /// - ``BluetoothError/Kind/timedOut`` if bluetoothd does not read the services within ``Deadlines/services``.
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristic.
    ///   - service: The UUID of its service. Default: nil, any service.
    public func characteristic(
        _ uuid: BluetoothUUID, in service: BluetoothUUID? = nil
    ) -> Single<Characteristic> {
        resumingAfterReconnect(search(uuid, in: service)).asSingle()
    }

    /// Finds a characteristic once. Fails without a link, also if its connection reconnects.
    private func search(_ uuid: BluetoothUUID, in service: BluetoothUUID?) -> Observable<Characteristic> {
        stream { [self] client, emitter in
            client.attributes.findCharacteristic(uuid, in: service, of: self, emitter)
        }
    }

    /// Reads the value of a characteristic as a Swift type, for example `BatteryLevel.self`.
    ///
    /// Emits the value once. The characteristic is found by the UUID of the type, so no discovery is necessary before.
    /// Without a link, it fails at once, also if the connection reconnects: a value is never read later. If bluetoothd
    /// hides the battery service, `BatteryLevel` is the level that bluetoothd reports. Cold. Delivers on the manager's
    /// queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/invalidValue(_:)`` if the bytes are not a valid value of the type.
    /// - ``BluetoothError/Kind/unsupported`` for a `BatteryLevel` without characteristic: at once if the peripheral has
    ///   no battery service or a shown one, otherwise if bluetoothd reports no level within ``Deadlines/services``.
    /// - The errors of ``characteristic(_:in:)`` and ``Characteristic/readValue(options:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the value, one of BluetoothValues or your own.
    ///   - service: The UUID of the service. Default: nil, any service.
    ///   - options: The deadline and the priority. Default: ``Deadlines/operation``, and normal.
    public func read<Value: CharacteristicValue>(
        _ type: Value.Type, in service: BluetoothUUID? = nil, options: OperationOptions = OperationOptions()
    ) -> Single<Value> {
        let uuid = BluetoothUUID(attribute: Value.uuid)
        return search(uuid, in: service).asSingle()
            .flatMap { $0.readValue(as: type, options: options) }
            .catch { [self] error in
                guard let levels = batteryLevels(type, in: service, after: error) else { throw error }
                return levels.take(1).asSingle()
            }
    }

    /// Observes the notified or indicated values of a characteristic as a Swift type.
    ///
    /// Emits each value, and never completes. The characteristic is found by the UUID of the type, see
    /// ``characteristic(_:in:)``, so no discovery is necessary before. If bluetoothd hides the battery service,
    /// `BatteryLevel` is the level that bluetoothd reports. Cold and shared as
    /// ``Characteristic/observeValueUpdates(using:buffer:options:)``, also after link loss. Delivers on the manager's
    /// queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/invalidValue(_:)`` if the bytes are not a valid value of the type. To continue after
    ///   such a value, observe the bytes and decode them with `Value(decoding:)`.
    /// - ``BluetoothError/Kind/unsupported`` for a `BatteryLevel` without characteristic: at once if the peripheral has
    ///   no battery service or a shown one, otherwise if bluetoothd reports no level within ``Deadlines/services``.
    /// - The errors of ``characteristic(_:in:)`` and ``Characteristic/observeValueUpdates(using:buffer:options:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the values, one of BluetoothValues or your own.
    ///   - service: The UUID of the service. Default: nil, any service.
    ///   - transport: How bluetoothd delivers the values. Default: signals.
    ///   - buffer: The buffer in front of this subscriber. Default: 1024 values; if it is full, the stream fails.
    ///   - options: The deadline and the priority of turning notifications on. Default: ``Deadlines/operation``, and
    ///     normal.
    public func observe<Value: CharacteristicValue>(
        _ type: Value.Type, in service: BluetoothUUID? = nil, using transport: NotificationTransport = .signals,
        buffer: ValueBuffer = ValueBuffer(), options: OperationOptions = OperationOptions()
    ) -> Observable<Value> {
        let uuid = BluetoothUUID(attribute: Value.uuid)
        return characteristic(uuid, in: service).asObservable()
            .flatMap { found in
                found.observeValueUpdates(using: transport, buffer: buffer, options: options)
                    .map { try found.decode(type, $0, during: .notify) }
            }
            .catch { [self] error in
                guard let levels = batteryLevels(type, in: service, after: error) else { throw error }
                return resumingAfterReconnect(levels)
            }
    }

    /// Writes a value of a Swift type, for example `HeartRateControlPoint(1)`.
    ///
    /// Completes when the value is written. The characteristic is found by the UUID of the type, so no discovery is
    /// necessary before. Without a link, it fails at once, also if the connection reconnects: a value is never written
    /// later. Cold. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/invalidArgument`` before anything is sent, if a property of the value is out of range.
    /// - The errors of ``characteristic(_:in:)`` and ``Characteristic/writeValue(_:type:options:)``.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - service: The UUID of the service. Default: nil, any service.
    ///   - type: Whether the peripheral confirms the write. Default: nil, with response if the characteristic supports
    ///     it.
    ///   - options: The deadline and the priority. Default: ``Deadlines/operation``, and normal.
    public func write<Value: CharacteristicValue>(
        _ value: Value, in service: BluetoothUUID? = nil, type: Characteristic.WriteType? = nil,
        options: OperationOptions = OperationOptions()
    ) -> Completable {
        let uuid = BluetoothUUID(attribute: Value.uuid)
        do throws(ValueEncodingError) {
            let bytes = try value.encoded()
            return search(uuid, in: service)
                .flatMap { found in
                    found.writeValue(bytes, type: type ?? found.usualWriteType, options: options).asObservable()
                }
                .asCompletable()
        } catch {
            var detail = error.description
            if detail.last == "." { detail.removeLast() }
            let failure: Observable<Never> = failed(
                BluetoothError(.invalidArgument, operation: .write, target: "\(uuid) of \(address)", detail: detail))
            return failure.asCompletable()
        }
    }

    /// The levels that bluetoothd reports, if it hides the battery service (Q109); nil for any other error or type.
    private func batteryLevels<Value: CharacteristicValue>(
        _ type: Value.Type, in service: BluetoothUUID?, after error: any Error
    ) -> Observable<Value>? {
        guard (error as? BluetoothError)?.kind == .attributeNotFound, Value.uuid == 0x2A19,
            service == nil || service == 0x180F
        else { return nil }
        return batteryLevel(isCertain: false, ofService: true).map { [address] level in
            do throws(ValueDecodingError) { return try Value(decoding: [UInt8(clamping: level)]) } catch {
                throw BluetoothError(.invalidValue(error), operation: .read, target: "2A19 of \(address)")
            }
        }
    }
}

extension Characteristic {
    /// Reads the value as a Swift type.
    ///
    /// Fails with ``BluetoothError/Kind/invalidValue(_:)`` if the bytes are not a valid value of the type, and with the
    /// errors of ``readValue(options:)``. The UUID of the type is not compared. Otherwise the same as
    /// ``readValue(options:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the value, one of BluetoothValues or your own.
    ///   - options: The deadline and the priority. Default: ``Deadlines/operation``, and normal.
    public func readValue<Value: CharacteristicValue>(
        as type: Value.Type, options: OperationOptions = OperationOptions()
    ) -> Single<Value> {
        readValue(options: options).map { try decode(type, $0, during: .read) }
    }

    /// Decodes a value. The error names the characteristic, the bytes and what was expected.
    func decode<Value: CharacteristicValue>(
        _ type: Value.Type, _ bytes: [UInt8], during operation: BluetoothError.Operation
    ) throws(BluetoothError) -> Value {
        do throws(ValueDecodingError) { return try Value(decoding: bytes) } catch {
            throw BluetoothError(.invalidValue(error), operation: operation, target: target)
        }
    }

    /// The type of write to use if the user selects none: with response if the characteristic supports it.
    var usualWriteType: WriteType {
        properties.contains(.writeWithoutResponse) && !properties.contains(.write) ? .withoutResponse : .withResponse
    }
}
