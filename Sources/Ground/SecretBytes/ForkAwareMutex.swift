// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Synchronization

/// A lock that works in a child made by `fork`, whatever the parent's threads did at that moment.
///
/// In the child only the thread that called `fork` continues: a lock that another thread held stays
/// held permanently, and its state may be half changed. So the first use in a child makes new
/// state. `Mutex` can't replace this: it uses the thread's number, which it remembers from before
/// the `fork`. `@unchecked Sendable` because the state is accessed only under the lock.
@safe package final class ForkAwareMutex<State: ~Copyable & Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let state: UnsafeMutablePointer<State>
    /// How often this process and its ancestors had forked when the state was made; the complement
    /// of that while a thread makes it.
    private let forks: Atomic<Int>
    private let make: @Sendable (consuming State?) -> State

    /// Makes a lock and its state.
    /// - Parameter make: Makes the state: at first from nil; in a child from the parent's, or from
    ///   nil if that was in use.
    package init(_ make: @escaping @Sendable (consuming State?) -> State) {
        forks = Atomic(Forks.count)
        self.make = make
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: make(nil))
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// Passes the state to `body` while no other thread has it. Must not be nested.
    package func withLock<R: ~Copyable, E: Error>(
        _ body: (inout State) throws(E) -> R
    ) throws(E) -> R {
        renewInChild()
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&state.pointee)
    }

    private func renewInChild() {
        let current = Forks.count
        while true {
            let seen = forks.load(ordering: .acquiring)
            if seen == current { return }
            if seen != ~current, begins(seen, current) { break }
            sched_yield()
        }
        if unsafe pthread_mutex_trylock(mutex) == 0 {
            unsafe pthread_mutex_unlock(mutex)
            unsafe state.initialize(to: make(state.move()))
        } else {
            unsafe pthread_mutex_init(mutex, nil)
            unsafe state.initialize(to: make(nil))
        }
        forks.store(current, ordering: .releasing)
    }

    private func begins(_ seen: Int, _ current: Int) -> Bool {
        forks.compareExchange(
            expected: seen, desired: ~current, ordering: .acquiringAndReleasing
        ).exchanged
    }
}

/// Identifies the process in which an object was made, since a child made by `fork` must not
/// continue to use some objects.
package struct ProcessMark: Hashable, Sendable {
    private let process: pid_t
    /// A child's child may get its grandparent's process number.
    private let forks: Int

    /// This process.
    package init() {
        process = getpid()
        forks = Forks.count
    }

    /// Whether it is this process, and not one that was forked from it.
    package var isThisProcess: Bool { self == ProcessMark() }
}

/// Counts the forks that led to this process, since the first lock or mark was made.
private enum Forks {
    private static let counter = Atomic(0)

    static var count: Int {
        _ = isCounting
        return counter.load(ordering: .relaxed)
    }

    private static let isCounting: Bool = {
        // Made before the first child, which has no thread to wait for.
        counter.store(0, ordering: .relaxed)
        let status = pthread_atfork(nil, nil) { Forks.increment() }
        precondition(status == 0, "out of memory")
        return true
    }()

    private static func increment() { counter.wrappingAdd(1, ordering: .relaxed) }
}
