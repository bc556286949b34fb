// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import SecretBytes

/// The two copies of a user's keybag as they lie on the disk, and which of them holds.
///
/// Both are replaced before a change is answered, so they differ only where a crash came between
/// the two, or where one is damaged: the later one of those that are whole holds.
struct StoredKeybags {
    /// What the copies come to.
    enum Choice {
        case keybag(Keybag)
        /// There are bytes, and none of them is this user's keybag.
        case refused(KeybagError)
        /// The disk didn't give what it has, and no copy is whole.
        case unreadable
        /// There is none.
        case none
    }

    private struct Copy {
        let record: StateRecord
        var bytes: [UInt8]?
        var keybag: Keybag?
        var error: KeybagError?
        var isUnreadable = false
    }

    private let copies: [Copy]

    init(_ state: any DurableState, user: UInt32, _ keys: KeybagKeys) {
        let signingKey = keys.signing.bytes.symmetricKey()
        copies = [StateRecord.keybag(user: user), .keybagCopy(user: user)].map { record in
            Self.read(record, state, signingKey)
        }
    }

    private static func read(
        _ record: StateRecord, _ state: any DurableState, _ signingKey: SymmetricKey
    ) -> Copy {
        var copy = Copy(record: record)
        do throws(DurableStateFailure) {
            copy.bytes = try state.load(record)
        } catch {
            copy.isUnreadable = true
        }
        guard let bytes = copy.bytes else { return copy }
        do throws(KeybagError) {
            copy.keybag = try Keybag(bytes, signingKey: signingKey)
        } catch {
            copy.error = error
        }
        return copy
    }

    /// The copy that holds: the first one, unless the second is later.
    private var best: Copy? {
        copies.filter { $0.keybag != nil }.reduce(nil as Copy?) { best, copy in
            guard let best, let generation = best.keybag?.generation else { return copy }
            return (copy.keybag?.generation ?? 0) > generation ? copy : best
        }
    }

    var choice: Choice {
        if let keybag = best?.keybag { return .keybag(keybag) }
        if let error = copies.compactMap(\.error).first { return .refused(error) }
        return copies.contains(where: \.isUnreadable) ? .unreadable : .none
    }

    /// What makes both copies the one that holds.
    var repairs: [StateChange] {
        guard let bytes = best?.bytes else { return [] }
        return copies.filter { $0.bytes != bytes }.map { .replace($0.record, bytes) }
    }
}
