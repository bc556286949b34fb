// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

/// The name of a value in a ``Keychain``, and how it is stored.
public struct ItemKey<Value: KeychainValue>: Hashable, Sendable {
    /// The item's account.
    public var account: String
    /// When the value can be read. Saving also gives an existing item this accessibility.
    public var accessibility: Accessibility
    /// Whether the value synchronizes to the person's other devices.
    public var isSynchronizable: Bool
    /// The text that people are shown; nil leaves it as it is.
    public var label: String?
    /// What a person must prove before the value is read or replaced; nil leaves it as it is.
    public var requirement: ItemRequirement?

    /// Names a value.
    /// - Parameters:
    ///   - account: The item's account.
    ///   - type: The type of the value; may be omitted if the context determines it.
    ///   - accessibility: When it can be read. After the first unlock means: at any time on a
    ///     device without a passcode, and also in the background while the device is locked.
    ///   - isSynchronizable: Whether it synchronizes to the person's other devices.
    ///   - requirement: What a person must prove before it is read or replaced. Such a value can't
    ///     synchronize.
    public init(
        account: String, as type: Value.Type = Value.self,
        accessibility: Accessibility = .afterFirstUnlock, isSynchronizable: Bool = false,
        requiring requirement: ItemRequirement? = nil
    ) {
        self.account = account
        self.accessibility = accessibility
        self.isSynchronizable = isSynchronizable
        self.requirement = requirement
    }
}

extension ItemKey: ExpressibleByUnicodeScalarLiteral where Value == String {
    /// Names a text.
    public init(unicodeScalarLiteral account: String) { self.init(account: account) }
}

extension ItemKey: ExpressibleByExtendedGraphemeClusterLiteral where Value == String {
    /// Names a text.
    public init(extendedGraphemeClusterLiteral account: String) { self.init(account: account) }
}

/// A literal names a text: `keychain.save("s3cret", for: "api token")`.
extension ItemKey: ExpressibleByStringLiteral where Value == String {
    /// Names a text.
    public init(stringLiteral account: String) { self.init(account: account) }
}

/// A value and the state of the item that it was read in.
public struct Stored<Value: Sendable>: Sendable {
    /// The value.
    public let value: Value
    /// The state: any later write changes it.
    public let generation: ItemGeneration
}
