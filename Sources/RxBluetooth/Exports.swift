// Users import one module: its streams are Rx's, and so is the vocabulary to work with them.
@_exported public import Rx
