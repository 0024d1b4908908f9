public import Foundation
public import Rx

/// Gives every object of Foundation reactive extensions at `.rx`.
extension NSObject: ReactiveCompatible {}
