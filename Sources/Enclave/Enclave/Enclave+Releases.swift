// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

// The TPM keeps an object for each passcode. It must be deleted with the passcode: otherwise an old
// keybag and the old passcode would still open the class keys. It can be deleted only after the new
// keybag is stored. A crash or an unreachable TPM may prevent that, so the enclave first writes a
// list of objects to delete. An object on the list may still be in use, which the stored keybag and
// the device key show.
extension Enclave {
    /// Adds indexes to the list, which must be written before the keybag or device key that uses
    /// them is replaced.
    /// - Returns: The change that writes it; empty when there is nothing to delete.
    mutating func releasing(_ indexes: [HeldIndex?]) throws(Refusal) -> [StateChange] {
        let added = indexes.compactMap { $0 }
        guard !added.isEmpty else { return [] }
        var list = try releaseList()
        list.add(added)
        releases = list
        return [.replace(.releases, list.file)]
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

    private mutating func releaseList() throws(Refusal) -> ReleaseList {
        if let releases { return releases }
        let file = try load(.releases)
        let list = file.flatMap { ReleaseList($0) }
        if file != nil, list == nil { notify(.releasesRefused) }
        releases = list ?? ReleaseList()
        return list ?? ReleaseList()
    }

    /// Deletes the objects on the list that aren't in use: at the start, and after a replacement.
    /// Those that can't be deleted now stay on the list.
    package mutating func releaseWhatIsDue() {
        guard !hasEnded, let exchange, let list = try? releaseList(), !list.indexes.isEmpty
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
        guard left != list.indexes else { return }
        let rest = ReleaseList(left)
        releases = rest
        // If this write fails, the next start finds that they are gone.
        try? state.apply([left.isEmpty ? .remove(.releases) : .replace(.releases, rest.file)])
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
