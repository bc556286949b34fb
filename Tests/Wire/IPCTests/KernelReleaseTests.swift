// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import IPC
import Testing

@Suite struct KernelReleaseTests {
    @Test(arguments: [
        ("6.1.0-56-cloud-amd64", 6, 1), ("6.18.44", 6, 18), ("7.0-rc1", 7, 0), ("5.15", 5, 15),
    ])
    func releaseIsRead(_ text: String, _ major: Int, _ minor: Int) {
        #expect(KernelRelease(text: text) == KernelRelease(major, minor))
    }

    @Test(arguments: ["", "6", "six.one", ".1", "6."])
    func anythingElseIsNoRelease(_ text: String) { #expect(KernelRelease(text: text) == nil) }

    @Test func releasesAreOrderedByNumber() {
        #expect(KernelRelease(6, 1) < KernelRelease(6, 9))
        #expect(KernelRelease(6, 9) < KernelRelease(6, 18))
        #expect(KernelRelease(5, 19) < KernelRelease(6, 1))
        #expect(!(KernelRelease(6, 9) < KernelRelease(6, 9)))
    }

    @Test func runningKernelHasARelease() throws {
        let text = try String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        #expect(KernelRelease.running == KernelRelease(text: text))
        #expect(KernelRelease.running != nil)
    }
}
