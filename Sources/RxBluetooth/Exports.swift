// Users import one module: its streams are Rx's, and so is the vocabulary to work with them; times and queues are
// Dispatch's, and `.seconds(1)` is to work without another import.
@_exported public import Dispatch
@_exported public import Rx
