// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

/// What the enclave's parts reach outside it: the device key, the records, the clocks, and the reports.
///
/// One object that all parts share: after a change whose outcome is unknown, none of them goes on.
final class EnclaveSurroundings {
    /// The device key; a move or a recovery replaces it.
    var deviceKey: any DeviceKey
    /// Replaces the device key; nil if that isn't supported.
    let exchange: (any DeviceKeyExchange)?
    let state: any DurableState
    /// Seconds since boot.
    let clock: () -> UInt64
    /// Seconds since 1970.
    let date: () -> UInt64
    let notify: (EnclaveNotice) -> Void
    /// The outcome of a change of the records is unknown.
    private(set) var hasEnded = false

    init(
        deviceKey: any DeviceKey, exchange: (any DeviceKeyExchange)?, state: any DurableState,
        clock: @escaping () -> UInt64, date: @escaping () -> UInt64,
        notify: @escaping (EnclaveNotice) -> Void
    ) {
        self.deviceKey = deviceKey
        self.exchange = exchange
        self.state = state
        self.clock = clock
        self.date = date
        self.notify = notify
    }

    func load(_ record: StateRecord) throws(Refusal) -> [UInt8]? {
        do {
            return try state.load(record)
        } catch {
            throw .status(.stateNotWritten)
        }
    }

    /// Makes changes durable.
    /// - Throws: `stateNotWritten` when nothing has changed, `ended` when that isn't known.
    func apply(_ changes: [StateChange], user: UInt32) throws(Refusal) {
        do {
            try state.apply(changes)
        } catch {
            try fail(error, user: user)
        }
    }

    /// The result of a failed change; after an unknown outcome, the enclave answers no request any
    /// more.
    func fail(_ failure: DurableStateFailure, user: UInt32) throws(Refusal) {
        switch failure {
        case .notDone:
            throw .status(.stateNotWritten)
        case .outcomeUnknown:
            hasEnded = true
            notify(.outcomeUnknown(user: user))
            throw .ended
        }
    }
}
