// Kills a gateway at write points of its store, starts it again, and checks that nothing was lost.
// gateway-crash [--points COUNT]: the number of points; default: 300. scripts/test-gateway runs it.
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())

switch arguments.first {
case "run":
    WritePoints.install(killAt: arguments.count > 2 ? Int(arguments[2]) : nil)
    // The store is closed with its owner, which also writes.
    do {
        let workload = try Workload(folder: arguments[1])
        workload.run()
    }
    print(WritePoints.count)
case "recover":
    try Workload(folder: arguments[1]).finish()
default:
    let wanted = arguments.count == 2 ? Int(arguments[1]) ?? 300 : 300
    exit(try CrashTest().run(atMost: max(50, wanted)) ? 0 : 1)
}
