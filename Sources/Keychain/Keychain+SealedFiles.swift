// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecurityWire
import Synchronization

/// Sealed files, for tasks: each call has a thread of its own for as long as it takes, and ends soon
/// after its task is cancelled.
extension Keychain {
    /// Seals a file under a key of the access group; see
    /// ``SealedFiles/seal(file:to:protection:replacing:progress:)``. The original stays.
    /// - Parameters:
    ///   - source: What to seal.
    ///   - target: The sealed file; nil is the source's name with ``SealedFiles/suffix``.
    ///   - protection: Its class.
    ///   - replacing: Whether a file at the target gives way; only when the new one is complete.
    /// - Throws: as that does; ``FailureReason/cancelled``, and nothing is left then;
    ///   ``FailureReason/unimplemented`` where the store is no ``KeychainService``.
    public func seal(
        file source: String, to target: String? = nil,
        protection: FileProtection = .completeUntilFirstUserAuthentication,
        replacing: Bool = false
    ) async throws(SealedFileError) {
        try await onOwnThread { (files, task) throws(SealedFileError) in
            try files.seal(
                file: source, to: target, protection: protection, replacing: replacing
            ) { (_) throws(SealedFileError) in try task.check() }
        }
    }

    /// Writes what is in a sealed file to a new one, for its owner alone; see
    /// ``SealedFiles/unseal(file:to:replacing:progress:)``.
    /// - Throws: as that does, and as ``seal(file:to:protection:replacing:)``.
    public func unseal(
        file source: String, to target: String, replacing: Bool = false
    ) async throws(SealedFileError) {
        try await onOwnThread { (files, task) throws(SealedFileError) in
            try files.unseal(file: source, to: target, replacing: replacing) {
                (_) throws(SealedFileError) in try task.check()
            }
        }
    }

    /// Opens a sealed file for reading at any place; its reads block, as a file's do.
    /// - Throws: as ``SealedFiles/open(_:)``, and as ``seal(file:to:protection:replacing:)``.
    public func openSealed(file path: String) async throws(SealedFileError) -> SealedFile {
        try await onOwnThread { (files, _) throws(SealedFileError) in try files.open(path) }
    }

    /// Whether a task still wants what is done for it.
    private final class Errand: Sendable {
        let isCancelled = Atomic(false)

        func check() throws(SealedFileError) {
            if isCancelled.load(ordering: .relaxed) { throw .keychain(.cancelled) }
        }
    }

    private func onOwnThread<R: Sendable>(
        _ body: @escaping @Sendable (SealedFiles, Errand) throws(SealedFileError) -> R
    ) async throws(SealedFileError) -> R {
        guard let connection = (store as? KeychainService)?.connection else {
            throw .keychain(.unimplemented)
        }
        let files = SealedFiles(connection, accessGroup: accessGroup)
        let errand = Errand()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { task in
                Self.start(task) { () throws(SealedFileError) in
                    try errand.check()
                    return try body(files, errand)
                }
            }
        } onCancel: {
            errand.isCancelled.store(true, ordering: .relaxed)
        }
        return try outcome.get()
    }

    private static func start<R: Sendable>(
        _ task: CheckedContinuation<Result<R, SealedFileError>, Never>,
        _ body: @escaping @Sendable () throws(SealedFileError) -> R
    ) {
        do throws(SystemError) {
            try NativeThread.start { task.resume(returning: Result(catching: body)) }
        } catch { task.resume(returning: .failure(.system(error.errno))) }
    }
}
