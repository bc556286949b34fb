// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

exit(ConverterProcess.run(Array(CommandLine.arguments.dropFirst())))
