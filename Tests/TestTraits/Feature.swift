/// A feature that users compare between Bluetooth libraries, to name in ``Testing/Trait/covers(_:)``.
///
/// Each case is a row of docs/features.md: its documentation is the text, and the `MARK` above it the group.
/// Exactly one test covers each feature. `scripts/features` checks the tests and writes the page.
public enum Feature: String, CaseIterable, Sendable {
    // MARK: Adapter

    /// The state of Bluetooth as a stream, with the reason if it cannot be used
    case adapterState
    /// Waiting until Bluetooth can be used, with a time limit
    case readiness
    /// A list of all adapters that follows plugging and unplugging
    case adapterList
    /// Selecting an adapter by its name or address
    case adapterSelection
    /// Using several adapters at a time
    case severalAdapters
    /// Switching an adapter on and off
    case adapterPower
    /// Setting the name of an adapter
    case adapterName

    // MARK: Scanning

    /// Scanning for peripherals
    case scan
    /// Receiving each advertisement of a peripheral
    case eachAdvertisement
    /// All advertised data: name, services, manufacturer data, service data, TX power
    case advertisedData
    /// The bytes and the RSSI of each packet
    case rawAdvertisement
    /// A filter for services
    case serviceFilter
    /// A filter for names and prefixes of names
    case nameFilter
    /// A filter for manufacturer data and service data, with masks
    case dataFilter
    /// A filter for the RSSI
    case rssiFilter
    /// Passive scanning, without requests to peripherals
    case passiveScan
    /// Several scans at a time, each with its own filters
    case sharedScan
    /// Retrieving known peripherals without a scan
    case knownPeripherals
    /// Peripherals that are found and lost
    case presence
    /// A scan that continues after a restart of bluetoothd
    case resumingScan

    // MARK: Connection

    /// Connecting to a peripheral
    case connection
    /// Connecting by address, without a scan
    case connectionByAddress
    /// A time limit for connecting
    case connectionDeadline
    /// The state of a connection as a stream
    case connectionState
    /// A connection for the time of an asynchronous closure
    case connectionScope
    /// Disconnecting
    case disconnection
    /// The reason of a disconnection
    case disconnectReason
    /// Reconnecting after link loss
    case reconnection
    /// Listing the peripherals that any program has connected
    case connectedPeripherals
    /// Sharing a link with other programs
    case foreignLinks
    /// The MTU of a link, and its changes
    case mtu
    /// The RSSI of a link
    case rssi
    /// The interval, latency, PHY, role and RSSI of a link, each with a reason if it is unknown
    case linkFacts
    /// Requesting faster or slower connection parameters
    case connectionParameters

    // MARK: GATT client

    /// Discovering services, all or by UUID
    case discovery
    /// Discovering included services
    case includedServices
    /// Reading characteristics
    case reading
    /// Writing with and without response
    case writing
    /// Writing long values in parts, with progress
    case longWrite
    /// Reading and writing descriptors
    case descriptors
    /// Notifications, shared by several subscribers
    case notifications
    /// Indications
    case indications
    /// A bounded buffer of notifications, with a choice of what to drop
    case notificationBuffer
    /// Notifications over a socket, for high rates
    case notificationSocket
    /// Writes over a socket, with backpressure
    case writeSocket
    /// Notifications that continue after a reconnection
    case resumingNotifications
    /// Changes of the services of a connected peripheral
    case modifiedServices
    /// Protection against moved attributes after a firmware update
    case staleAttributes
    /// A time limit for each operation
    case operationDeadline
    /// Priorities of operations
    case operationPriority
    /// Sequences of operations without others in between
    case exclusiveAccess
    /// The battery level as a stream
    case batteryLevel
    /// All reads, writes and notified values of a manager as one stream
    case exchanges

    // MARK: Pairing

    /// Pairing with a peripheral
    case pairing
    /// Answering pairing requests, for example for a passkey
    case pairingRequests
    /// Answering pairing requests by a policy, without the user
    case pairingPolicy
    /// Whether a peripheral is bonded, as a stream
    case bondState
    /// Removing a bond
    case forgetting

    // MARK: Peripheral role

    /// Advertising this computer
    case advertising
    /// Publishing services of this computer
    case publishing
    /// Answering reads and writes of centrals
    case requests
    /// Notifying values to subscribed centrals
    case updates
    /// The subscriptions of centrals as a stream
    case subscribers

    // MARK: L2CAP

    /// L2CAP channels to a peripheral
    case channels
    /// L2CAP channels that peripherals open
    case listening

    // MARK: Errors and diagnosis

    /// Typed errors with the operation, the target and the ATT code
    case errors
    /// A diagnosis of everything that the library knows
    case diagnosis
    /// Metrics for swift-metrics
    case metrics

    // MARK: Programs

    /// Streams as asynchronous sequences, and cancellation of tasks
    case tasks
    /// Updates of view models on the main actor
    case mainActor
    /// A simulation of bluetoothd for tests, in virtual time
    case simulation
}
