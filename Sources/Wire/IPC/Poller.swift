// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// An epoll set: waits for descriptors to become ready.
package struct Poller: ~Copyable, Sendable {
    /// The events to wait for, and those that happened.
    package struct Events: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// There is something to read, or the peer has hung up.
        package static let readable = Events(rawValue: 0x001)
        /// There is room to write.
        package static let writable = Events(rawValue: 0x004)
        /// Wake one waiting thread, not all.
        package static let exclusive = Events(rawValue: 1 << 28)
    }

    /// A descriptor that is ready.
    package struct Ready: Sendable {
        /// The descriptor.
        package let descriptor: Int32
        /// Its events.
        package let events: Events
    }

    private let epoll: Descriptor

    /// An empty set.
    package init() throws(SystemError) {
        let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError("epoll_create1") }
        epoll = Descriptor(owning: descriptor)
    }

    /// Starts waiting for a descriptor.
    package borrowing func add(_ descriptor: Int32, _ events: Events) throws(SystemError) {
        try control(1, descriptor, events)
    }

    /// Changes the events to wait for.
    package borrowing func change(_ descriptor: Int32, _ events: Events) throws(SystemError) {
        try control(3, descriptor, events)
    }

    /// Stops waiting for a descriptor; harmless if it wasn't added.
    package borrowing func remove(_ descriptor: Int32) {
        var event = unsafe epoll_event()
        _ = unsafe epoll_ctl(epoll.rawValue, 2, descriptor, &event)
    }

    /// Waits until a descriptor is ready or the time limit has passed.
    /// - Parameters:
    ///   - milliseconds: The time limit; -1 means none.
    ///   - ready: Receives the ready descriptors, at most 64 at a time; empty after the time limit
    ///     or when a signal interrupted the wait.
    /// - Throws: ``SystemError`` when `epoll_wait` fails for another reason than a signal.
    package borrowing func wait(
        milliseconds: Int32, into ready: inout [Ready]
    ) throws(SystemError) {
        ready.removeAll(keepingCapacity: true)
        let capacity = 64
        var failure: SystemError?
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: capacity) { events in
            let count = unsafe epoll_wait(
                epoll.rawValue, events.baseAddress, Int32(capacity), milliseconds)
            if count < 0 {
                if errno != EINTR { failure = SystemError("epoll_wait") }
                return
            }
            for index in 0..<Int(count) {
                let event = unsafe events[index]
                unsafe ready.append(
                    Ready(descriptor: unsafe event.data.fd, events: Events(rawValue: event.events)))
            }
        }
        if let failure { throw failure }
    }

    private borrowing func control(
        _ operation: Int32, _ descriptor: Int32, _ events: Events
    ) throws(SystemError) {
        var event = unsafe epoll_event()
        unsafe event.events = events.rawValue
        unsafe event.data.fd = descriptor
        guard unsafe epoll_ctl(epoll.rawValue, operation, descriptor, &event) == 0 else {
            throw SystemError("epoll_ctl")
        }
    }
}

/// Wakes a thread that waits in a poller or in `wait`: an eventfd.
package struct EventCounter: ~Copyable, Sendable {
    private let event: Descriptor

    /// A counter at zero.
    package init() throws(SystemError) {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError("eventfd") }
        event = Descriptor(owning: descriptor)
    }

    /// For adding to a poller.
    package var descriptor: Int32 { event.rawValue }

    /// Wakes the waiting thread, or lets its next wait return at once.
    package borrowing func signal() { eventfd_write(event.rawValue, 1) }

    /// Waits for a signal.
    package borrowing func wait() {
        var value: eventfd_t = 0
        while unsafe eventfd_read(event.rawValue, &value) != 0 && errno == EINTR {}
    }

    /// Waits for a signal, up to a time limit.
    /// - Parameter milliseconds: The time limit; -1 means none.
    /// - Returns: Whether the signal came.
    package borrowing func wait(milliseconds: Int32) -> Bool {
        if milliseconds >= 0 {
            var entry = pollfd(fd: event.rawValue, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, milliseconds) > 0 else { return false }
        }
        wait()
        return true
    }
}
