// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import ConversionWire
import Glibc
import IPC
import PasswordConversion
import Sandbox

/// Reads or writes one file of another password manager, for the command `security`. It is started
/// with three descriptors:
///
///     llavero-convert --descriptors 3
///
/// 3 has the messages to it, 4 those from it, and 5 is the foreign file. It has no other file, no
/// network and no connection to the keychain. It answers one request and ends.
enum ConverterProcess {
    private enum Descriptors {
        static let input: Int32 = 3
        static let output: Int32 = 4
        static let file: Int32 = 5
    }

    /// Data of the whole process: 1 GiB for a key derivation beside the largest file; afterwards the
    /// file, and what is unpacked from it.
    private static let memoryByteCount = 1536 << 20
    /// The longest key derivation, and the largest file.
    private static let processorSeconds = 90

    static func run(_ arguments: [String]) -> Int32 {
        guard arguments == ["--descriptors", "3"] else {
            return complain("the command security starts it")
        }
        do {
            try Sandbox.reexecuteHardened()
            let fileByteCount = try enterSandbox()
            return convert(fileByteCount) ? 0 : 1
        } catch { return complain("\(error)") }
    }

    /// No byte of a request or a file is read before this.
    /// - Returns: Whether the tool has heard the outcome.
    private static func convert(_ fileByteCount: Int) -> Bool {
        let output = ConversionOutput(Descriptors.output)
        let last: ConversionMessage
        do throws(ConversionFailure) {
            last = try convert(ConversionInput(Descriptors.input), output, fileByteCount)
        } catch { last = .failed(error) }
        return output.send(last) && output.flush()
    }

    /// - Returns: How many bytes the file has: it can't be asked later. 0 if it isn't known.
    private static func enterSandbox() throws -> Int {
        for signal in [SIGINT, SIGHUP, SIGPIPE] { Glibc.signal(signal, SIG_IGN) }
        for descriptor in [Descriptors.input, Descriptors.output, Descriptors.file] {
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
                throw SystemError("descriptors")
            }
        }
        guard llavero_close_range(UInt32(Descriptors.file) + 1, .max, 0) == 0 else {
            throw SystemError("close_range")
        }
        try Sandbox.fenceForConverting()
        try Sandbox.limitMemory(byteCount: memoryByteCount)
        try Sandbox.limitProcessorTime(seconds: processorSeconds)
        var status = stat()
        let isKnown = unsafe fstat(Descriptors.file, &status) == 0
        try Sandbox.filterForConverting()
        // A file that takes the process over can't write to the person's terminal.
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { close(descriptor) }
        return isKnown ? max(status.st_size, 0) : 0
    }

    private static func convert(
        _ input: ConversionInput, _ output: ConversionOutput, _ fileByteCount: Int
    ) throws(ConversionFailure) -> ConversionMessage {
        guard case .message(.request(let request)) = input.next() else {
            throw ConversionFailure(.failed)
        }
        switch request.operation {
        case .read:
            let sink = PipeSink(output)
            return .end(try PasswordConversion.read(readFile(fileByteCount), request, into: sink))
        case .write:
            let records = try receive(input)
            var isHeard = true
            let file = try PasswordConversion.write(records, request) { leftOut in
                isHeard = output.send(.leftOut(leftOut)) && isHeard
            }
            let isWritten = unsafe file.withUnsafeBytes {
                unsafe ConversionOutput.write($0, to: Descriptors.file)
            }
            guard isHeard, isWritten else { throw ConversionFailure(.failed) }
            return .end(UInt32(records.count))
        }
    }

    /// All records, within the limits of a file.
    private static func receive(
        _ input: ConversionInput
    ) throws(ConversionFailure) -> [ConvertedRecord] {
        var records: [ConvertedRecord] = []
        var byteCount = 0
        while true {
            switch input.next() {
            case .message(.record(let record)):
                byteCount += record.byteCount
                guard byteCount <= ConversionLimits.fileByteCount else {
                    throw ConversionFailure(over: .fileByteCount)
                }
                guard records.count < ConversionLimits.recordCount else {
                    throw ConversionFailure(over: .recordCount)
                }
                records.append(record)
            case .message(.end(let count)):
                guard count == records.count else { throw ConversionFailure(.failed) }
                return records
            case .message, .ended, .invalid: throw ConversionFailure(.failed)
            }
        }
    }

    private static func readFile(_ byteCount: Int) throws(ConversionFailure) -> [UInt8] {
        guard byteCount <= ConversionLimits.fileByteCount else {
            throw ConversionFailure(over: .fileByteCount)
        }
        var file: [UInt8] = []
        file.reserveCapacity(byteCount)
        var part = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = unsafe part.withUnsafeMutableBytes {
                unsafe read(Descriptors.file, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ConversionFailure(.failed) }
            if count == 0 { return file }
            file += part[..<count]
            guard file.count <= ConversionLimits.fileByteCount else {
                throw ConversionFailure(over: .fileByteCount)
            }
        }
    }

    private static func complain(_ line: String) -> Int32 {
        let bytes = Array("llavero-convert: \(line)\n".utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
        return 1
    }
}

/// Sends what a file has to the tool.
private final class PipeSink: RecordSink {
    private let output: ConversionOutput

    init(_ output: ConversionOutput) { self.output = output }

    func recognize(_ format: ConversionFormat) throws(ConversionFailure) {
        try send(.recognized(format))
    }

    func take(_ record: ConvertedRecord) throws(ConversionFailure) { try send(.record(record)) }

    func leaveOut(_ leftOut: LeftOut) throws(ConversionFailure) { try send(.leftOut(leftOut)) }

    private func send(_ message: ConversionMessage) throws(ConversionFailure) {
        guard output.send(message) else { throw ConversionFailure(.failed) }
    }
}
