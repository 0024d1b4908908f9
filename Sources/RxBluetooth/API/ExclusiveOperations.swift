public import Rx

/// The operations of a connection during an exclusive access.
///
/// `Peripheral.exclusively(options:_:)` passes this value to its closure. Its methods do the same as those of
/// ``Characteristic`` and ``Descriptor``, but their operations run within the access. After the end of the access,
/// their streams fail with ``BluetoothError/Kind/closed``. They fail with ``BluetoothError/Kind/invalidArgument`` for
/// attributes of another peripheral.
public struct ExclusiveOperations: Sendable {
    /// The peripheral to which the access belongs.
    public let peripheral: Peripheral
    private let token: ExclusiveAccess.Token

    init(_ peripheral: Peripheral, _ token: ExclusiveAccess.Token) {
        self.peripheral = peripheral
        self.token = token
    }

    /// Reads the value of a characteristic; see ``Characteristic/readValue(options:)``.
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic to read.
    ///   - options: The deadline, and the priority among the operations of the access. Default:
    ///     ``Deadlines/operation``, and normal.
    public func readValue(
        for characteristic: Characteristic, options: OperationOptions = OperationOptions()
    ) -> Single<[UInt8]> {
        checked(characteristic, .read, characteristic.target, options) { characteristic.read($0).asObservable() }
            .asSingle()
    }

    /// Writes the value of a characteristic; see ``Characteristic/writeValue(_:type:options:)``.
    ///
    /// - Parameters:
    ///   - value: The bytes, at most 512.
    ///   - characteristic: The characteristic to write.
    ///   - type: Whether the peripheral confirms the write. Default: with response.
    ///   - options: The deadline, and the priority among the operations of the access. Default:
    ///     ``Deadlines/operation``, and normal.
    public func writeValue(
        _ value: [UInt8], for characteristic: Characteristic, type: Characteristic.WriteType = .withResponse,
        options: OperationOptions = OperationOptions()
    ) -> Completable {
        checked(characteristic, .write, characteristic.target, options) {
            characteristic.write(value, type, $0).asObservable()
        }
        .asCompletable()
    }

    /// Writes a value of any length in several writes; see
    /// ``Characteristic/writeLongValue(_:type:partLength:options:retry:)``.
    ///
    /// No operation from outside the access runs between two parts.
    ///
    /// - Parameters:
    ///   - value: The bytes, of any length.
    ///   - characteristic: The characteristic to write.
    ///   - type: Whether the peripheral confirms each part. Default: with response.
    ///   - partLength: The length of each part except the last, in bytes, from 1 to 512. Default: one packet.
    ///   - options: The deadline of each part, and its priority among the operations of the access. Default:
    ///     ``Deadlines/operation``, and normal.
    public func writeLongValue(
        _ value: [UInt8], for characteristic: Characteristic, type: Characteristic.WriteType = .withResponse,
        partLength: Int? = nil, options: OperationOptions = OperationOptions()
    ) -> Observable<Characteristic.WriteProgress> {
        checked(characteristic, .write, characteristic.target, options) {
            characteristic.writeParts(value, type, partLength, $0) { .error($0.error) }
        }
    }

    /// Observes the values that the peripheral notifies or indicates; see
    /// ``Characteristic/observeValueUpdates(using:buffer:options:)``.
    ///
    /// Turning notifications on is an operation of the access, also with the calls that precede a socket. The
    /// subscription can outlive the access.
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic to observe.
    ///   - transport: How bluetoothd delivers the values. Default: signals.
    ///   - buffer: The buffer in front of this subscriber. Default: 1024 values; if it is full, the stream fails.
    ///   - options: The deadline of turning notifications on, and its priority among the operations of the access.
    ///     Default: ``Deadlines/operation``, and normal.
    public func observeValueUpdates(
        for characteristic: Characteristic, using transport: NotificationTransport = .signals,
        buffer: ValueBuffer = ValueBuffer(), options: OperationOptions = OperationOptions()
    ) -> Observable<[UInt8]> {
        checked(characteristic, .notify, characteristic.target, options) {
            characteristic.observe(transport, buffer, $0)
        }
    }

    /// Reads the value of a descriptor; see ``Descriptor/readValue(options:)``.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor to read.
    ///   - options: The deadline, and the priority among the operations of the access. Default:
    ///     ``Deadlines/operation``, and normal.
    public func readValue(
        for descriptor: Descriptor, options: OperationOptions = OperationOptions()
    ) -> Single<[UInt8]> {
        checked(descriptor.characteristic, .readDescriptor, descriptor.target, options) {
            descriptor.read($0).asObservable()
        }
        .asSingle()
    }

    /// Writes the value of a descriptor; see ``Descriptor/writeValue(_:options:)``.
    ///
    /// - Parameters:
    ///   - value: The bytes, at most 512.
    ///   - descriptor: The descriptor to write.
    ///   - options: The deadline, and the priority among the operations of the access. Default:
    ///     ``Deadlines/operation``, and normal.
    public func writeValue(
        _ value: [UInt8], for descriptor: Descriptor, options: OperationOptions = OperationOptions()
    ) -> Completable {
        checked(descriptor.characteristic, .writeDescriptor, descriptor.target, options) {
            descriptor.write(value, $0).asObservable()
        }
        .asCompletable()
    }

    /// Returns the stream of an operation, or a failed stream if the attribute belongs to another peripheral.
    private func checked<Element: Sendable>(
        _ characteristic: Characteristic, _ operation: BluetoothError.Operation, _ target: String,
        _ options: OperationOptions, _ stream: (QueueRequest) -> Observable<Element>
    ) -> Observable<Element> {
        guard characteristic.peripheral === peripheral else {
            let detail = "The exclusive access is one to \(peripheral.address)"
            return peripheral.failed(
                BluetoothError(.invalidArgument, operation: operation, target: target, detail: detail))
        }
        return stream(QueueRequest(options: options, access: token))
    }
}

extension Peripheral {
    /// Runs operations of the connection without any other operation of this manager in between.
    ///
    /// When the access begins, the stream that `work` returns is subscribed to. Emits the elements of that stream. The
    /// access ends when the stream completes or fails. Cold: each subscription requests one access. Disposing cancels
    /// all operations of the access that have not started. Delivers on the manager's queue.
    ///
    /// Example, which writes a request and reads the response:
    ///
    ///     peripheral.exclusively { operations in
    ///         operations.writeValue([0x01], for: control).andThen(operations.readValue(for: response))
    ///     }
    ///
    /// The request waits in the queue like an operation, with the priority of `options`. During the access, only the
    /// methods of ``ExclusiveOperations`` start operations. All others wait for the end of the access, also
    /// `characteristic.readValue()` in the closure itself: a closure that waits for such an operation, or for another
    /// exclusive access, fails at the deadline. The access does not delay the values of a ``CharacteristicWriter``,
    /// notified values, and operations of other programs.
    ///
    /// The deadline applies to all operations together. The time begins with the access. At the deadline, the stream
    /// fails and all operations of the access end.
    ///
    /// Fails with:
    /// - The errors of `work`, and of its stream.
    /// - ``BluetoothError/Kind/timedOut`` at the deadline.
    /// - ``BluetoothError/Kind/invalidArgument`` before anything is sent, if the deadline is zero or less.
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends, also
    ///   with ``ConnectOptions/reconnection``.
    ///
    /// - Parameters:
    ///   - options: The deadline of the whole access, and the priority of the request. Default:
    ///     ``Deadlines/exclusiveAccess``, and normal.
    ///   - work: Returns the stream of the operations. It runs on the manager's queue.
    public func exclusively<Source: ObservableConvertibleType & SendableMetatype>(
        options: OperationOptions = OperationOptions(),
        _ work: @escaping @Sendable (_ operations: ExclusiveOperations) throws -> Source
    ) -> Observable<Source.Element> {
        .deferred { [self] in
            let token = ExclusiveAccess.Token()
            return access(token, options)
                .flatMap { [self] _ in try work(ExclusiveOperations(self, token)).asObservable().materialize() }
                .dematerialize()
        }
    }

    /// Runs asynchronous operations of the connection without another operation in between.
    ///
    /// Returns the result of `work`, which is called when the access begins. The access ends when `work` returns or
    /// throws. The deadline, the end of the connection and cancelling the task cancel the task of `work`, and fail all
    /// its operations. This method then waits for the end of `work`. Example:
    ///
    ///     let response = try await peripheral.exclusively { operations in
    ///         try await operations.writeValue([0x01], for: control).value
    ///         return try await operations.readValue(for: response).value
    ///     }
    ///
    /// The access is the same as that of the method that returns a stream, and throws the same errors. If the task is
    /// cancelled, throws `CancellationError` instead of any ``BluetoothError``.
    ///
    /// - Parameters:
    ///   - options: The deadline of the whole access, and the priority of the request. Default:
    ///     ``Deadlines/exclusiveAccess``, and normal.
    ///   - work: The operations. It runs in a child task.
    @_disfavoredOverload
    public func exclusively<Outcome: Sendable>(
        options: OperationOptions = OperationOptions(),
        _ work: @escaping @Sendable (_ operations: ExclusiveOperations) async throws -> Outcome
    ) async throws -> Outcome {
        let token = ExclusiveAccess.Token()
        let failure = Guarded<(any Error)?>(nil)
        let (beginnings, beginning) = AsyncStream<Void>.makeStream()
        // The failure is stored before the operations of the access fail, so `work` cannot end before.
        let access = access(token, options).do(onError: { error in failure.withLock { $0 = error } })
        return try await withThrowingTaskGroup(of: Outcome?.self) { group in
            group.addTask {
                for try await _ in access.values { beginning.yield() }
                return nil
            }
            group.addTask { [self] in
                for await _ in beginnings { return try await work(ExclusiveOperations(self, token)) }
                return nil
            }
            defer { group.cancelAll() }
            do {
                while let outcome = try await group.next() {
                    if let outcome { return outcome }
                }
            } catch {
                throw errorOfTask(failure.withLock { $0 } ?? error)
            }
            throw CancellationError()
        }
    }

    /// Emits once when an exclusive access begins. Fails when the access ends by itself; disposing ends it.
    private func access(_ token: ExclusiveAccess.Token, _ options: OperationOptions) -> Observable<Void> {
        stream { [self] client, emitter in
            client.links.requestAccess(
                to: self, token, options, deadline: client.settings.deadlines.exclusiveAccess, emitter)
        }
    }
}
