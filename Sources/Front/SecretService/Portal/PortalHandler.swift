// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
package import SecretBytes
import Synchronization

/// The keys of sandboxed applications, for the Secret portal.
package protocol PortalStore: Sendable {
    /// The key of an application; a new one if it never had one.
    /// - Parameter application: Its identifier.
    /// - Returns: The same bytes in each call.
    /// - Throws: ``SecretStoreError/locked`` when the key can't be read now. A new one is never made then.
    func portalKey(_ application: String) throws(SecretStoreError) -> Secret
}

/// A descriptor that a message has brought.
final class SentDescriptor: Sendable {
    private let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    var rawValue: Int32 { descriptor.rawValue }
}

/// The arguments of RetrieveSecret.
struct PortalRequest: Sendable {
    /// The object by which the caller can end the request.
    var handle: String
    /// Empty for programs of the host.
    var application: String
    /// Where the key is written to.
    var target: SentDescriptor
}

/// The requests under way, by their handles.
final class PortalRequests: Sendable {
    private struct Entry {
        let application: String
        let cancellation = PromptCancellation()
    }

    /// Applications ask once, when they start.
    private static let limit = 64
    /// One application leaves room for the others.
    private static let limitOfApplication = 4

    private let entries = Mutex<[String: Entry]>([:])

    /// Notes a request.
    /// - Returns: What ends it; nil when there are too many, or one with this handle.
    func begin(_ handle: String, _ application: String) -> PromptCancellation? {
        entries.withLock { entries in
            let ownCount = entries.values.count { $0.application == application }
            guard entries.count < Self.limit, ownCount < Self.limitOfApplication,
                entries[handle] == nil
            else { return nil }
            let entry = Entry(application: application)
            entries[handle] = entry
            return entry.cancellation
        }
    }

    func end(_ handle: String) { entries.withLock { $0[handle] = nil } }

    /// The caller doesn't want the answer any more.
    /// - Returns: Whether there is such a request.
    func cancel(_ handle: String) -> Bool {
        let found = entries.withLock { $0[handle]?.cancellation }
        found?.cancel()
        return found != nil
    }
}

/// Answers one request of the portal's frontend. A key goes to the portal's frontend alone: its name on
/// the bus and its program must be the right ones, since it says which application asks.
struct PortalHandler {
    /// The name of the frontend.
    static let frontend = "org.freedesktop.portal.Desktop"
    /// The owners that its program may be: Debian's path, and those of other systems.
    static let owners: Set<String> = [
        "path:/usr/libexec/xdg-desktop-portal", "path:/usr/lib/xdg-desktop-portal",
        "path:/usr/lib/xdg-desktop-portal/xdg-desktop-portal",
    ]
    /// Application identifiers are names of the bus.
    private static let longestApplication = 255
    private static let waitMilliseconds: Int32 = 1000

    /// The responses of the portal's interface.
    enum Response: UInt32 {
        case success = 0
        case cancelled = 1
        case failed = 2
    }

    let store: any PortalStore
    let view: ClientView
    let request: PortalRequest
    let cancellation: PromptCancellation

    func respond() -> Response {
        guard !request.application.isEmpty,
            request.application.utf8.count <= Self.longestApplication
        else { return .failed }
        do throws(SecretStoreError) {
            return write(try store.portalKey(request.application))
        } catch {
            guard error == .locked else { return .failed }
        }
        let question = StoreQuestion.unlock([.collection(CollectionID.login)])
        guard let opened = try? view.ask(question, cancellation), !opened.isEmpty,
            !cancellation.isCancelled, let key = try? store.portalKey(request.application)
        else { return cancellation.isCancelled ? .cancelled : .failed }
        return write(key)
    }

    /// Writes the key into a pipe, which has room for it: one that has none isn't waited for long.
    ///
    /// The application has the pipe as well. If it fills it at the wrong moment, and lets writing wait
    /// again, then this request waits: that is one of the few that it may have.
    private func write(_ key: Secret) -> Response {
        let target = request.target.rawValue
        var status = stat()
        guard unsafe fstat(target, &status) == 0, status.st_mode & S_IFMT == S_IFIFO,
            fcntl(target, F_SETFL, O_NONBLOCK) == 0
        else { return .failed }
        var entry = pollfd(fd: target, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&entry, 1, Self.waitMilliseconds) == 1,
            entry.revents & Int16(POLLOUT) != 0
        else { return .failed }
        let count = unsafe key.bytes.withUnsafeBytes {
            unsafe Glibc.write(target, $0.baseAddress, $0.count)
        }
        return count == key.bytes.byteCount ? .success : .failed
    }
}
