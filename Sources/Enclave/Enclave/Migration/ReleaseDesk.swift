// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

// The TPM keeps an object for each passcode. It must be deleted with the passcode: otherwise an old
// keybag and the old passcode would still open the class keys. It can be deleted only after the new
// keybag is stored. A crash or an unreachable TPM may prevent that, so the enclave first writes a
// list of objects to delete. An object on the list may still be in use, which the stored keybag and
// the device key show.

/// Owns the list of objects to delete from the TPM.
struct ReleaseDesk {
    private let surroundings: EnclaveSurroundings
    /// Nil before the list was read.
    private var known: ReleaseList?

    init(_ surroundings: EnclaveSurroundings) { self.surroundings = surroundings }

    /// What is on the list.
    mutating func list() throws(Refusal) -> ReleaseList {
        if let known { return known }
        let file = try surroundings.load(.releases)
        let list = file.flatMap { ReleaseList($0) }
        if file != nil, list == nil { surroundings.notify(.releasesRefused) }
        known = list ?? ReleaseList()
        return list ?? ReleaseList()
    }

    /// Adds indexes to the list.
    /// - Returns: The change that writes it.
    mutating func add(_ indexes: [HeldIndex]) throws(Refusal) -> [StateChange] {
        var list = try list()
        list.add(indexes)
        known = list
        return [.replace(.releases, list.file)]
    }

    /// Leaves these indexes alone on the list.
    mutating func keep(_ left: [HeldIndex]) {
        let rest = ReleaseList(left)
        known = rest
        // If this write fails, the next start finds that the others are gone.
        try? surroundings.state.apply([
            left.isEmpty ? .remove(.releases) : .replace(.releases, rest.file)
        ])
    }
}

extension Enclave {
    /// Adds indexes to the list, which must be written before the keybag or device key that uses
    /// them is replaced.
    /// - Returns: The change that writes it; empty when there is nothing to delete.
    mutating func releasing(_ indexes: [HeldIndex?]) throws(Refusal) -> [StateChange] {
        let added = indexes.compactMap { $0 }
        return added.isEmpty ? [] : try releases.add(added)
    }

    /// The same for a keybag's passcode, for the protectors that aren't in the new list, and for one more
    /// index.
    mutating func releasing(
        _ keybag: UserKeybag, keeping list: ProtectorList, and other: HeldIndex? = nil
    ) throws(Refusal) -> [StateChange] {
        let gone = keybag.protectors.protectors.filter { list[$0.choice.name]?.salt != $0.salt }
        return try releasing([index(of: keybag), other] + gone.map { index(of: $0, keybag) })
    }

    /// The TPM index for a protector.
    func index(of protector: Protector, _ keybag: UserKeybag) -> HeldIndex? {
        guard protector.choice.kind == .tpm else { return nil }
        return deviceKey.index(of: protector.sealedEntropy, user: keybag.user)
    }

    /// The TPM index for a keybag's passcode.
    func index(of keybag: UserKeybag) -> HeldIndex? {
        keybag.keybag.passcode.flatMap {
            deviceKey.index(of: $0.sealedEntropy, user: keybag.user)
        }
    }

    /// Deletes the objects on the list that aren't in use: at the start, and after a replacement.
    /// Those that can't be deleted now stay on the list.
    package mutating func releaseWhatIsDue() {
        guard !hasEnded, let exchange, let list = try? releases.list(), !list.indexes.isEmpty
        else { return }
        var left: [HeldIndex] = []
        var isReachable = true
        for index in list.indexes {
            guard isReachable, let isUsed = isUsed(index) else {
                left.append(index)
                continue
            }
            guard !isUsed else { continue }
            do throws(DeviceKeyFailure) { try exchange.release(index) } catch {
                notify(.releaseFailed(error))
                left.append(index)
                // An object of another TPM doesn't mean that this TPM is unreachable.
                isReachable = error == .otherDevice
            }
        }
        if left != list.indexes { releases.keep(left) }
    }

    /// Whether the stored keybag or the device key needs it; nil if that can't be determined.
    private mutating func isUsed(_ index: HeldIndex) -> Bool? {
        guard let user = index.user else { return deviceKey.counter?.number == index.number }
        guard let keybag = try? keybag(user) else { return nil }
        return self.index(of: keybag)?.number == index.number
            || keybag.protectors.protectors.contains {
                self.index(of: $0, keybag)?.number == index.number
            }
    }

    /// Deletes an object that was made but not stored: it protects nothing, and at most takes
    /// space.
    func giveBack(_ sealed: [UInt8], _ keybag: UserKeybag) {
        guard let index = deviceKey.index(of: sealed, user: keybag.user) else { return }
        try? exchange?.release(index)
    }

    /// Deletes the objects outside the device key's files, for the users seen so far: their data
    /// must never be opened again.
    package mutating func forgetEverything() {
        for keybag in Array(keybags.values) {
            let protectors = keybag.protectors.protectors.map { index(of: $0, keybag) }
            for case let index? in [index(of: keybag)] + protectors {
                try? exchange?.release(index)
            }
        }
    }
}
