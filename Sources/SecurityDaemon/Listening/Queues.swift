// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import ItemStore
import SecurityWire

/// Where an event thread hands on what it doesn't answer itself.
struct Queues: Sendable {
    let writes: WorkQueue<WriterThread.Job>
    let passcodes: WorkQueue<DeviceJob<PasscodeRequest>>
    let locks: WorkQueue<DeviceJob<LockRequest>>
    let maintenance: WorkQueue<MaintenanceJob>
    let leases: LeaseTable

    /// Hands a device request to the thread whose work it is.
    /// - Returns: False when too much is waiting there.
    func add(
        _ request: DeviceRequest,
        answer: @escaping @Sendable (Result<ServiceReply, DaemonError>) -> Void
    ) -> Bool {
        switch request {
        case .passcode(let request): passcodes.add(DeviceJob(request: request, answer: answer))
        case .lock(let request): locks.add(DeviceJob(request: request, answer: answer))
        }
    }
}
