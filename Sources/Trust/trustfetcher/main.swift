// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

exit(FetcherProcess.run(Array(CommandLine.arguments.dropFirst())))
