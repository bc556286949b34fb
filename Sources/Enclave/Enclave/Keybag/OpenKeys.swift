// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import SecretBytes

/// The class keys of a keybag that are open now. Each state has the keys that are open in it, and no
/// place for others: the compiler refuses code that takes a class A key from a locked keybag.
enum OpenKeys {
    /// The device has started, and nothing has unlocked the keybag since.
    case beforeFirstUnlock(AlwaysKeys)
    /// It was unlocked, and locked again.
    case locked(AlwaysKeys, FirstUnlockKeys)
    /// It is unlocked, or nothing locks it.
    case unlocked(WholeKeys)
}

/// The keys that the device key alone opens.
struct AlwaysKeys {
    let dk: Secret
    let dku: Secret
}

/// The keys that stay open when the keybag is locked again.
struct FirstUnlockKeys {
    let ck: Secret
    let cku: Secret
}

/// The keys that a lock drops.
struct UnlockedKeys {
    let ak: Secret
    let aku: Secret
    /// Nil without a passcode, and where a protector unlocked: none holds it.
    var akpu: Secret?
}

/// All class keys. Only an unlocked keybag has this value, so only that one can be wrapped anew.
struct WholeKeys {
    let always: AlwaysKeys
    let firstUnlock: FirstUnlockKeys
    var unlocked: UnlockedKeys

    /// Each key with its class.
    var all: [(protectionClass: ProtectionClass, key: Secret)] {
        ProtectionClass.allCases.compactMap { protectionClass in
            OpenKeys.unlocked(self)[protectionClass].map { (protectionClass, $0) }
        }
    }

    /// The same without the key that goes with the passcode.
    var withoutPasscode: WholeKeys {
        var keys = self
        keys.unlocked.akpu = nil
        return keys
    }
}

// MARK: - Reading

extension OpenKeys {
    var always: AlwaysKeys {
        switch self {
        case .beforeFirstUnlock(let always), .locked(let always, _): always
        case .unlocked(let keys): keys.always
        }
    }

    private var firstUnlock: FirstUnlockKeys? {
        switch self {
        case .beforeFirstUnlock: nil
        case .locked(_, let keys): keys
        case .unlocked(let keys): keys.firstUnlock
        }
    }

    /// All keys; nil unless they are open.
    var whole: WholeKeys? {
        guard case .unlocked(let keys) = self else { return nil }
        return keys
    }

    /// A class's key, if it is open.
    subscript(protectionClass: ProtectionClass) -> Secret? {
        switch protectionClass {
        case .dk: always.dk
        case .dku: always.dku
        case .ck: firstUnlock?.ck
        case .cku: firstUnlock?.cku
        case .ak: whole?.unlocked.ak
        case .aku: whole?.unlocked.aku
        case .akpu: whole?.unlocked.akpu
        }
    }
}

// MARK: - Changes of state

extension OpenKeys {
    /// What a lock leaves open.
    var locked: OpenKeys {
        guard case .unlocked(let keys) = self else { return self }
        return .locked(keys.always, keys.firstUnlock)
    }

    /// What is left as after a start.
    var forgotten: OpenKeys { .beforeFirstUnlock(always) }

    /// With the keys that stay open when the keybag is locked. An unlocked keybag stays unlocked.
    func opening(_ keys: FirstUnlockKeys) -> OpenKeys {
        switch self {
        case .beforeFirstUnlock(let always), .locked(let always, _): .locked(always, keys)
        case .unlocked: self
        }
    }

    /// With all keys. A key of akpu that is open stays so.
    func opening(_ firstUnlock: FirstUnlockKeys, _ unlocked: UnlockedKeys) -> OpenKeys {
        var unlocked = unlocked
        unlocked.akpu = unlocked.akpu ?? whole?.unlocked.akpu
        return .unlocked(
            WholeKeys(always: always, firstUnlock: firstUnlock, unlocked: unlocked))
    }
}

// MARK: - From keys by class

extension AlwaysKeys {
    /// - Returns: Nil unless both are there.
    init?(_ keys: [ProtectionClass: Secret]) {
        guard let dk = keys[.dk], let dku = keys[.dku] else { return nil }
        self.init(dk: dk, dku: dku)
    }
}

extension FirstUnlockKeys {
    /// - Returns: Nil unless both are there.
    init?(_ keys: [ProtectionClass: Secret]) {
        guard let ck = keys[.ck], let cku = keys[.cku] else { return nil }
        self.init(ck: ck, cku: cku)
    }
}

extension UnlockedKeys {
    /// - Returns: Nil unless those that exist in every keybag are there.
    init?(_ keys: [ProtectionClass: Secret]) {
        guard let ak = keys[.ak], let aku = keys[.aku] else { return nil }
        self.init(ak: ak, aku: aku, akpu: keys[.akpu])
    }
}
