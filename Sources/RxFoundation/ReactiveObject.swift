public import Foundation
public import Rx

/// Every object of Foundation has reactive extensions at `.rx`.
extension NSObject: ReactiveCompatible {}
