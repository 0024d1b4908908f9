import CSQLite
import Glibc
import Synchronization

/// Ends the process with SIGKILL at one of the points at which SQLite writes: before, within and after each write,
/// before and after a file is shortened or removed.
enum WritePoints {
    private static let reached = Atomic<Int>(0)
    private static let last = Atomic<Int>(.max)

    /// The number of points so far.
    static var count: Int { reached.load(ordering: .relaxed) }

    /// Replaces the system calls of SQLite's file system. Call it before the first database is opened.
    static func install(killAt point: Int?) {
        last.store(point ?? .max, ordering: .relaxed)
        let write: Write = { file, bytes, count, offset in
            WritePoints.passPoint()
            if WritePoints.isLast(1) { _ = unsafe Glibc.pwrite(file, bytes!, count / 2, offset) }
            WritePoints.passPoint()
            let result = unsafe Glibc.pwrite(file, bytes!, count, offset)
            WritePoints.passPoint()
            return result
        }
        let truncate: Truncate = { file, length in
            WritePoints.passPoint()
            let result = Glibc.ftruncate(file, length)
            WritePoints.passPoint()
            return result
        }
        let unlink: Unlink = { path in
            WritePoints.passPoint()
            let result = unsafe Glibc.unlink(path!)
            WritePoints.passPoint()
            return result
        }
        unsafe replace("pwrite", unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
        unsafe replace("pwrite64", unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
        unsafe replace("ftruncate", unsafeBitCast(truncate, to: sqlite3_syscall_ptr.self))
        unsafe replace("unlink", unsafeBitCast(unlink, to: sqlite3_syscall_ptr.self))
    }

    private typealias Write = @convention(c) (Int32, UnsafeRawPointer?, Int, Int) -> Int
    private typealias Truncate = @convention(c) (Int32, Int) -> Int32
    private typealias Unlink = @convention(c) (UnsafePointer<CChar>?) -> Int32

    private static func replace(_ name: String, _ call: sqlite3_syscall_ptr) {
        guard let system = unsafe sqlite3_vfs_find(nil), let set = unsafe system.pointee.xSetSystemCall else {
            fatalError("SQLite has no file system whose calls can be replaced")
        }
        let result = unsafe set(system, name, call)
        precondition(result == SQLITE_OK, "SQLite does not use \(name)")
    }

    private static func isLast(_ further: Int) -> Bool {
        reached.load(ordering: .relaxed) + further == last.load(ordering: .relaxed)
    }

    private static func passPoint() {
        let point = reached.add(1, ordering: .relaxed).newValue
        if point == last.load(ordering: .relaxed) {
            kill(getpid(), SIGKILL)
            while true { pause() }
        }
    }
}
