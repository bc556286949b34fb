// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

// What a TPM keeps for a passcode goes with the passcode: else an old keybag and the old passcode
// would still open the class keys. It can go only once the new keybag is stored, and then a crash or
// a TPM that is out of reach may come between. So a list of what is to go is written first. What is
// on it may still be in use: the stored keybag and the device key tell.
extension Enclave {
    /// Puts indexes on the list, which is to be written before what uses them is replaced.
    /// - Returns: The change that writes it; none when there is nothing to be taken away.
    mutating func releasing(_ indexes: [HeldIndex?]) throws(Refusal) -> [StateChange] {
        let added = indexes.compactMap { $0 }
        guard !added.isEmpty else { return [] }
        var list = try releaseList()
        list.add(added)
        releases = list
        return [.replace(.releases, list.file)]
    }

    /// The same for a keybag's passcode.
    mutating func releasing(_ keybag: UserKeybag) throws(Refusal) -> [StateChange] {
        try releasing([index(of: keybag)])
    }

    /// What the device key keeps for a keybag's passcode.
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

    /// Takes away what is on the list and not in use: at the start, and when something was replaced.
    /// What can't be taken away now stays on it.
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
                // Another TPM tells nothing of this one.
                isReachable = error == .otherDevice
            }
        }
        guard left != list.indexes else { return }
        let rest = ReleaseList(left)
        releases = rest
        // Where this isn't written, the next start finds that they are gone.
        try? state.apply([left.isEmpty ? .remove(.releases) : .replace(.releases, rest.file)])
    }

    /// Whether the stored keybag or the device key needs it; nothing where that can't be told.
    private mutating func isUsed(_ index: HeldIndex) -> Bool? {
        guard let user = index.user else { return deviceKey.counter?.number == index.number }
        guard let keybag = try? keybag(user) else { return nil }
        return self.index(of: keybag)?.number == index.number
    }

    /// Gives back what was made and isn't stored: it guards nothing, and takes room at most.
    func giveBack(_ sealed: [UInt8], _ keybag: UserKeybag) {
        guard let index = deviceKey.index(of: sealed, user: keybag.user) else { return }
        try? exchange?.release(index)
    }

    /// Gives back what the device key keeps outside its files for the users seen so far: nothing
    /// of them is to be opened again.
    package mutating func forgetEverything() {
        for keybag in Array(keybags.values) {
            guard let index = index(of: keybag) else { continue }
            try? exchange?.release(index)
        }
    }
}
