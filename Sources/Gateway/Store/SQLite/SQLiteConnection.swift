import CSQLite
import Glibc

/// An open database of SQLite, and its statements. Errors become ``StoreFailure``.
@safe final class SQLiteConnection {
    private let handle: OpaquePointer
    private let path: String
    /// The path without links.
    private let file: String
    private var statements: [String: SQLiteStatement] = [:]
    /// Whether the content of the file is not checked yet.
    var isOpening = true
    /// Whether the file was not closed in an orderly way.
    let hadLog: Bool
    /// What was damaged in the log, see ``WriteAheadLog/damage``.
    let damageOfLog: String?
    /// Whether the file is one that was set aside, or is read like one.
    private let isKeptFile: Bool

    /// `SQLITE_CANTOPEN_SYMLINK`, a macro that is not imported.
    private static let openedLink = SQLITE_CANTOPEN | 6 << 8

    /// Opens the file, and creates it for its owner only if it is missing.
    ///
    /// Links in its folder are followed, because `DynamicUser=yes` of systemd makes one. The file must not be a link.
    init(path: String) throws(StoreFailure) {
        let file = try Self.resolved(path)
        try Self.create(file, path)
        try Self.checkLog(of: file, path)
        isKeptFile = false
        hadLog = Self.size(file + "-wal") ?? 0 > 0
        damageOfLog = WriteAheadLog.damage(ofStore: file)
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW
        let result = unsafe sqlite3_open_v2(file, &opened, flags, nil)
        guard result == SQLITE_OK, let handle = unsafe opened else {
            let code = unsafe sqlite3_extended_errcode(opened)
            unsafe sqlite3_close_v2(opened)
            guard code != Self.openedLink else {
                throw StoreFailure(
                    .inaccessible, "opening the store failed: \(path) is a symbolic link; name the file itself")
            }
            throw Self.failure(path, result, "SQLite cannot open it")
        }
        unsafe self.handle = handle
        self.path = path
        self.file = file
        unsafe sqlite3_extended_result_codes(handle, 1)
    }

    /// Opens a damaged file that was set aside, for reading only. Nothing is written, and its log is ignored.
    ///
    /// It fails only for a cause that may be temporary, for example missing memory. If SQLite cannot read the tables
    /// because of damage, statements fail. Source: SQLite, Uniform Resource Identifiers, `immutable`.
    init(keptFile path: String) throws(StoreFailure) {
        let file = try Self.resolved(path)
        isKeptFile = true
        hadLog = false
        damageOfLog = nil
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
            | SQLITE_OPEN_NOFOLLOW
        let result = unsafe sqlite3_open_v2("file://\(Self.escaped(file))?immutable=1", &opened, flags, nil)
        guard result == SQLITE_OK, let handle = unsafe opened else {
            unsafe sqlite3_close_v2(opened)
            throw Self.failure(path, result, "SQLite cannot open it")
        }
        unsafe self.handle = handle
        self.path = path
        self.file = file
        unsafe sqlite3_extended_result_codes(handle, 1)
        // The second one also reads a file that is shorter than its header says.
        try execute("PRAGMA trusted_schema=OFF; PRAGMA writable_schema=ON; PRAGMA cell_size_check=ON")
        do throws(StoreFailure) {
            // The first statement reads the file.
            try run("SELECT count(*) FROM sqlite_master")
        } catch {
            guard error.kind == .corrupted else { throw error }
        }
    }

    deinit {
        statements = [:]
        unsafe sqlite3_close_v2(handle)
    }

    /// Returns the path with the links of its folder resolved.
    private static func resolved(_ path: String) throws(StoreFailure) -> String {
        let end = path.lastIndex(of: "/")
        let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let real = unsafe realpath(folder, nil) else { throw systemFailure(path, errno) }
        defer { unsafe free(real) }
        return unsafe String(cString: real) + "/" + (end.map { path[path.index(after: $0)...] } ?? path[...])
    }

    /// The path without characters that have a meaning in a URI.
    private static func escaped(_ file: String) -> String {
        let codes: [Character: String] = ["%": "%25", "?": "%3f", "#": "%23"]
        return file.reduce(into: "") { $0 += codes[$1] ?? String($1) }
    }

    /// Creates the file if it is missing. SQLite gives its other files the permissions of this one.
    private static func create(_ file: String, _ path: String) throws(StoreFailure) {
        let descriptor = unsafe Glibc.open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            Glibc.close(descriptor)
        } else if errno != EEXIST {
            throw systemFailure(path, errno)
        }
        var information = stat()
        guard unsafe lstat(file, &information) == 0 else { throw systemFailure(path, errno) }
        // SQLite refuses links itself.
        guard [S_IFREG, S_IFLNK].contains(information.st_mode & S_IFMT) else { throw foreignFile(path) }
    }

    /// SQLite deletes the log of an empty file, for example of one that an editor or a full disk has emptied.
    private static func checkLog(of file: String, _ path: String) throws(StoreFailure) {
        // For SQLite, a file of one byte is empty, too.
        if size(file) == 1 { throw foreignFile(path) }
        guard size(file) == 0, size(file + "-wal") ?? 0 > 0 else { return }
        throw StoreFailure(.corrupted, "\(path) is damaged: it is empty, but its log is not")
    }

    /// The size of a file; nil if it is missing, or a link.
    private static func size(_ file: String) -> Int? {
        var information = stat()
        guard unsafe lstat(file, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
        return information.st_size
    }

    /// Denies other users the access to the file.
    func makePrivate() throws(StoreFailure) {
        // Closing a descriptor of the file would release the locks of SQLite, except one with O_PATH.
        let pathOnly: Int32 = 0o10_000_000
        let descriptor = unsafe Glibc.open(file, pathOnly | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.systemFailure(path, errno) }
        defer { Glibc.close(descriptor) }
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else { throw Self.systemFailure(path, errno) }
        guard information.st_mode & 0o177 != 0 else { return }
        // fchmod refuses a descriptor with O_PATH.
        guard unsafe chmod("/proc/self/fd/\(descriptor)", 0o600) == 0 else { throw Self.systemFailure(path, errno) }
    }

    /// Leaves the log as it is when the connection is closed.
    func keepLog() throws(StoreFailure) {
        let result = unsafe sqlite3_keep_log(handle)
        if result != SQLITE_OK { throw failure(result) }
    }

    /// Runs SQL without parameters and results.
    func execute(_ sql: String) throws(StoreFailure) {
        let result = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        if result != SQLITE_OK { throw failure(result) }
    }

    /// Runs a statement, which is prepared once, and passes each row to the closure.
    func run(
        _ sql: String, _ values: [SQLiteValue] = [], row: (SQLiteStatement) -> Void = { _ in }
    ) throws(StoreFailure) {
        let statement = try prepare(sql)
        defer { statement.reset() }
        var result = statement.bind(values)
        guard result == SQLITE_OK else { throw failure(result) }
        while true {
            result = statement.step()
            guard result == SQLITE_ROW else { break }
            row(statement)
        }
        if result != SQLITE_DONE { throw failure(result) }
    }

    /// The first column of the first row.
    func integer(_ sql: String) throws(StoreFailure) -> Int64? {
        var value: Int64?
        try run(sql) { row in if value == nil { value = row.integer(0) } }
        return value
    }

    /// The number of the last inserted row.
    var lastNumber: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    private func prepare(_ sql: String) throws(StoreFailure) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        var prepared: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard result == SQLITE_OK, let prepared = unsafe prepared else { throw failure(result) }
        let statement = unsafe SQLiteStatement(prepared)
        statements[sql] = statement
        return statement
    }

    private func failure(_ result: Int32) -> StoreFailure {
        // A file that SQLite cannot create, for example its log.
        let code = unsafe sqlite3_system_errno(handle)
        if result & 0xFF == SQLITE_CANTOPEN, code == ENOSPC || code == EDQUOT { return Self.fullDisk(path) }
        let text = unsafe String(cString: sqlite3_errmsg(handle))
        switch result {
        // The gateway is its owner.
        case _ where isKeptFile && isOpening && !Self.mayBeTemporary(result):
            return StoreFailure(.corrupted, "\(path) is damaged: \(text)")
        case _ where [SQLITE_NOTADB, SQLITE_CORRUPT].contains(result & 0xFF) && !StoreFile(file).isOfGateway:
            return Self.foreignFile(path)
        // A damaged header or schema: SQLite takes the store for a database of a later version, or of another program.
        case SQLITE_READONLY where StoreFile(file).isWritableStore,
            SQLITE_ERROR where isOpening && StoreFile(file).isWritableStore:
            return StoreFailure(.corrupted, "\(path) is damaged: \(text)")
        default: return Self.failure(path, result, text)
        }
    }

    /// Whether the cause of an error may be missing memory or descriptors, the disk, permissions or another process.
    private static func mayBeTemporary(_ result: Int32) -> Bool {
        [
            SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_FULL, SQLITE_PERM, SQLITE_AUTH, SQLITE_BUSY,
            SQLITE_LOCKED,
        ].contains(result & 0xFF)
    }

    private static func failure(_ path: String, _ result: Int32, _ text: String) -> StoreFailure {
        switch result & 0xFF {
        case SQLITE_FULL: fullDisk(path)
        case SQLITE_CORRUPT, SQLITE_NOTADB: StoreFailure(.corrupted, "\(path) is damaged: \(text)")
        case SQLITE_BUSY, SQLITE_LOCKED:
            StoreFailure(.inaccessible, "\(path) is used by another process; give each gateway a file of its own")
        default:
            StoreFailure(
                .inaccessible,
                "using \(path) failed: \(text) (SQLite error \(result)); check the disk and the permissions")
        }
    }

    private static func foreignFile(_ path: String) -> StoreFailure {
        StoreFailure(.inaccessible, "\(path) is not a store of the gateway; name another file")
    }

    private static func fullDisk(_ path: String) -> StoreFailure {
        StoreFailure(.full, "writing \(path) failed: the disk is full; make room on it")
    }

    private static func systemFailure(_ path: String, _ code: Int32) -> StoreFailure {
        if code == ENOSPC || code == EDQUOT { return fullDisk(path) }
        let cause = unsafe String(cString: strerror(code))
        return StoreFailure(
            .inaccessible, "opening \(path) failed: \(cause); create its folder, and make it writable for this user")
    }
}

/// A value of a parameter.
enum SQLiteValue {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}

/// A prepared statement. It belongs to its connection.
@safe final class SQLiteStatement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe sqlite3_finalize(handle) }

    func step() -> Int32 { unsafe sqlite3_step(handle) }

    func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    func bind(_ values: [SQLiteValue]) -> Int32 {
        for (index, value) in values.enumerated() {
            let result = bind(value, at: Int32(index + 1))
            if result != SQLITE_OK { return result }
        }
        return SQLITE_OK
    }

    /// The number in a column; nil for NULL.
    func optionalInteger(_ column: Int32) -> Int64? {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : integer(column)
    }

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        // SQLite copies the bytes.
        let copies = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .integer(let number): return unsafe sqlite3_bind_int64(handle, index, number)
        case .text(let text):
            let bytes = Array(text.utf8)
            return unsafe bytes.withUnsafeBytes {
                unsafe sqlite3_bind_text(
                    handle, index, $0.baseAddress?.assumingMemoryBound(to: CChar.self) ?? nil, Int32($0.count), copies)
            }
        case .bytes(let bytes):
            if bytes.isEmpty { return unsafe sqlite3_bind_zeroblob(handle, index, 0) }
            return unsafe bytes.withUnsafeBytes {
                unsafe sqlite3_bind_blob(handle, index, $0.baseAddress, Int32($0.count), copies)
            }
        }
    }
}
