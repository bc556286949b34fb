// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Sealed files, for tasks: each call has a separate thread for as long as it takes. When its task
/// is cancelled or its deadline passes, a request to the service ends at once, and work on the file
/// ends after the current piece, 1 MiB at most. A call that has begun to make a file durable
/// finishes that: a call that reports cancellation or a time-out has left no file.
///
/// Without a deadline, files take as long as they take. Each request to the service has its usual
/// deadline, 5 s for reads and 30 s for writes, or the value of `LLAVERO_DEADLINE_MS`.
extension Keychain {
    /// Seals a file under a key of the access group; see
    /// ``SealedFiles/seal(file:to:protection:replacing:progress:)``. The original stays.
    /// - Parameters:
    ///   - source: What to seal.
    ///   - target: The sealed file; nil is the source's name with ``SealedFiles/suffix``.
    ///   - protection: Its class.
    ///   - replacing: Whether to replace a file at the target, once the new one is complete.
    ///   - duration: The deadline of the whole call.
    /// - Throws: as that does; ``FailureReason/cancelled`` and ``FailureReason/timedOut``, and no
    ///   file is left then; ``FailureReason/unknownOutcome`` when it isn't known whether the first
    ///   file of a class has left its key; ``FailureReason/unimplemented`` where the store is no
    ///   ``KeychainService``.
    public func seal(
        file source: String, to target: String? = nil,
        protection: FileProtection = .completeUntilFirstUserAuthentication,
        replacing: Bool = false, within duration: Duration? = nil
    ) async throws(SealedFileError) {
        let (service, files) = try sealedFiles()
        try await service.callAlone(sealing: .write, within: duration) {
            (bounds) throws(SealedFileError) in
            try files.seal(
                file: source, to: target, protection: protection, replacing: replacing, bounds
            ) { (_) throws(SealedFileError) in try SealedFileError.keychain(bounds.check) }
        }
    }

    /// Decrypts a sealed file into a new file that only its owner can read; see
    /// ``SealedFiles/unseal(file:to:replacing:progress:)``.
    /// - Throws: as that does, and as ``seal(file:to:protection:replacing:within:)``.
    public func unseal(
        file source: String, to target: String, replacing: Bool = false,
        within duration: Duration? = nil
    ) async throws(SealedFileError) {
        let (service, files) = try sealedFiles()
        try await service.callAlone(sealing: .write, within: duration) {
            (bounds) throws(SealedFileError) in
            try files.unseal(file: source, to: target, replacing: replacing, bounds) {
                (_) throws(SealedFileError) in try SealedFileError.keychain(bounds.check)
            }
        }
    }

    /// Opens a sealed file for random-access reading. Its own reads block, as a file's do;
    /// ``SealedFile/async`` has the same for tasks.
    /// - Throws: as ``SealedFiles/open(_:)``, and as ``seal(file:to:protection:replacing:within:)``.
    public func openSealed(
        file path: String, within duration: Duration? = nil
    ) async throws(SealedFileError) -> SealedFile {
        let (service, files) = try sealedFiles()
        return try await service.callAlone(sealing: .read, within: duration) {
            (bounds) throws(SealedFileError) in try files.open(path, bounds)
        }
    }

    /// Begins a new sealed file, for a task that writes it piece by piece; see
    /// ``SealedFiles/create(_:protection:replacing:)``.
    /// - Throws: as that does, and as ``seal(file:to:protection:replacing:within:)``.
    public func createSealed(
        file path: String,
        protection: FileProtection = .completeUntilFirstUserAuthentication,
        replacing: Bool = false, within duration: Duration? = nil
    ) async throws(SealedFileError) -> AsyncSealedFileWriter {
        let (service, files) = try sealedFiles()
        return try await service.callAlone(sealing: .write, within: duration) {
            (bounds) throws(SealedFileError) in
            AsyncSealedFileWriter(
                try files.create(
                    path, protection: protection, replacing: replacing, bounds))
        }
    }

    private func sealedFiles() throws(SealedFileError) -> (KeychainService, SealedFiles) {
        guard let service = store as? KeychainService else { throw .keychain(.unimplemented) }
        return (service, SealedFiles(service.connection, accessGroup: accessGroup))
    }
}

extension KeychainService {
    fileprivate func callAlone<R: Sendable>(
        sealing kind: AsyncCalls.Kind, within duration: Duration?,
        _ body: @escaping @Sendable (CallBounds) throws(SealedFileError) -> R
    ) async throws(SealedFileError) -> R {
        let outcome: Result<R, SealedFileError>
        do throws(KeychainError) {
            outcome = try await callAlone(kind, within: duration) {
                (bounds) throws(KeychainError) -> Result<R, SealedFileError> in
                Result { () throws(SealedFileError) -> R in try body(bounds) }
            }
        } catch { throw .keychain(error) }
        return try outcome.get()
    }
}
