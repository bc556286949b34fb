// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// A certificate, and the attributes that the keychain derives from it; made with pyca/cryptography
/// and OpenSSL.
struct CertificateSample: Sendable {
    /// The common name.
    let name: String
    /// X.509's version.
    let version: Int
    let der: Data
    /// The issuer's whole name, as in the certificate.
    let issuerName: Data
    /// The content of the names after normalization.
    let normalizedIssuer: Data
    let normalizedSubject: Data
    let serialNumber: Data
    let subjectKeyID: Data?
    let publicKeyHash: Data
}

/// A key pair in its external representations.
struct KeySample: Sendable {
    /// The algorithm's number.
    let type: Int
    let bits: Int
    /// RSA: PKCS #1; elliptic curves: X9.63.
    let privateKey: Data
    let publicKey: Data
    /// SHA-1 of the public key.
    let label: Data
}

private func decoded(_ text: String) -> Data {
    Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()
}

extension CertificateSample {
    /// The root: printable text in upper and lower case and with blanks, and UTF-8.
    static let root = CertificateSample(
        name: " Llavero  test Root ", version: 3,
        der: decoded(
            """
            MIIBoDCCAUegAwIBAgIBATAKBggqhkjOPQQDAjA/MQswCQYDVQQGEwJlczERMA8GA1UECgwIUHLDvGZ1bmcx
            HTAbBgNVBAMTFCBMbGF2ZXJvICB0ZXN0IFJvb3QgMCAXDTIwMDEwMTAwMDAwMFoYDzIwNTAwMTAxMDAwMDAw
            WjA/MQswCQYDVQQGEwJlczERMA8GA1UECgwIUHLDvGZ1bmcxHTAbBgNVBAMTFCBMbGF2ZXJvICB0ZXN0IFJv
            b3QgMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEZlH4RdS0uqzW90Ik5SYiqItZqiouM6UECU2Q6R6ZttJm
            9FAfTQ8XXWp4/1Rk295qNkSp636um/u1PUP2nAr69KMyMDAwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQU
            0uGV6i7yEsGc1Q7E7iWSmwXczPYwCgYIKoZIzj0EAwIDRwAwRAIgbzyXARJNwbad5L64eED4p3SpgLpvIgcV
            WSgIcUm3TQMCIFxXYVZZitL6KKJzYg5Qb9i7Evitqwnzsjj1FuU+cB5z
            """),
        issuerName: decoded(
            """
            MD8xCzAJBgNVBAYTAmVzMREwDwYDVQQKDAhQcsO8ZnVuZzEdMBsGA1UEAxMUIExsYXZlcm8gIHRlc3QgUm9v
            dCA=
            """),
        normalizedIssuer: decoded(
            """
            MQswCQYDVQQGEwJFUzERMA8GA1UECgwIUHLDvGZ1bmcxGjAYBgNVBAMTEUxMQVZFUk8gVEVTVCBST09U
            """),
        normalizedSubject: decoded(
            """
            MQswCQYDVQQGEwJFUzERMA8GA1UECgwIUHLDvGZ1bmcxGjAYBgNVBAMTEUxMQVZFUk8gVEVTVCBST09U
            """),
        serialNumber: decoded("AQ=="),
        subjectKeyID: decoded("0uGV6i7yEsGc1Q7E7iWSmwXczPY="),
        publicKeyHash: decoded("0uGV6i7yEsGc1Q7E7iWSmwXczPY="))

    /// Issued by the root.
    static let intermediate = CertificateSample(
        name: "Llavero Test Intermediate", version: 3,
        der: decoded(
            """
            MIIBkzCCATqgAwIBAgICAIAwCgYIKoZIzj0EAwIwPzELMAkGA1UEBhMCZXMxETAPBgNVBAoMCFByw7xmdW5n
            MR0wGwYDVQQDExQgTGxhdmVybyAgdGVzdCBSb290IDAgFw0yMDAxMDEwMDAwMDBaGA8yMDUwMDEwMTAwMDAw
            MFowMTELMAkGA1UEBhMCRVMxIjAgBgNVBAMMGUxsYXZlcm8gVGVzdCBJbnRlcm1lZGlhdGUwWTATBgcqhkjO
            PQIBBggqhkjOPQMBBwNCAAQhEf7gzHNZB3mbpaRX28tMHC/AsKefLM3ffCddI4vVeasoJuRM28+FmZ6cqWsA
            d2nGWqoQXIZJMXtrmynq98DbozIwMDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBTm5kAfLTZMlmQ6+pFR
            DymUoCIE0TAKBggqhkjOPQQDAgNHADBEAiBAIiSKPB79dVCHo2hr54JrzLIqVZHDP0r33l6WweP4agIgUChx
            rUmyBwpScXDrISs8+yBpAEOsi01GGtFb+YF//RM=
            """),
        issuerName: decoded(
            """
            MD8xCzAJBgNVBAYTAmVzMREwDwYDVQQKDAhQcsO8ZnVuZzEdMBsGA1UEAxMUIExsYXZlcm8gIHRlc3QgUm9v
            dCA=
            """),
        normalizedIssuer: decoded(
            """
            MQswCQYDVQQGEwJFUzERMA8GA1UECgwIUHLDvGZ1bmcxGjAYBgNVBAMTEUxMQVZFUk8gVEVTVCBST09U
            """),
        normalizedSubject: decoded(
            """
            MQswCQYDVQQGEwJFUzEiMCAGA1UEAwwZTGxhdmVybyBUZXN0IEludGVybWVkaWF0ZQ==
            """),
        serialNumber: decoded("AIA="),
        subjectKeyID: decoded("5uZAHy02TJZkOvqRUQ8plKAiBNE="),
        publicKeyHash: decoded("5uZAHy02TJZkOvqRUQ8plKAiBNE="))

    /// Issued by the intermediate, with two e-mail addresses.
    static let anna = CertificateSample(
        name: "Anna Example", version: 3,
        der: decoded(
            """
            MIIBwjCCAWegAwIBAgIFEjRWeJAwCgYIKoZIzj0EAwIwMTELMAkGA1UEBhMCRVMxIjAgBgNVBAMMGUxsYXZl
            cm8gVGVzdCBJbnRlcm1lZGlhdGUwIBcNMjAwMTAxMDAwMDAwWhgPMjA1MDAxMDEwMDAwMDBaMDwxCzAJBgNV
            BAYTAkVTMRYwFAYDVQQKDA1MbGF2ZXJvIFRlc3RzMRUwEwYDVQQDDAxBbm5hIEV4YW1wbGUwWTATBgcqhkjO
            PQIBBggqhkjOPQMBBwNCAARQz31R1LhdZXdikwCm5gTiVZ2az51LWQd0xYVPRkw9RVKA4oS0ye4pAY+ZuFEw
            LTQSqO6fsmDBPs4/AlAdymXOo18wXTAMBgNVHRMBAf8EAjAAMB0GA1UdDgQWBBQpLEaiZw5AypABJ7SDBXfs
            YV5BeDAuBgNVHREEJzAlgRBBbm5hQEV4YW1wbGUuY29tgRFhbm5hQHdvcmsuZXhhbXBsZTAKBggqhkjOPQQD
            AgNJADBGAiEA3aUEWNUChzeZD6InTdYKaxw9vKddsprtTKQlsTuwA/UCIQCaO7jlUSSpRF/DgDhtQiE9IxPC
            oqDrteqEaGJbgsKD4A==
            """),
        issuerName: decoded(
            """
            MDExCzAJBgNVBAYTAkVTMSIwIAYDVQQDDBlMbGF2ZXJvIFRlc3QgSW50ZXJtZWRpYXRl
            """),
        normalizedIssuer: decoded(
            """
            MQswCQYDVQQGEwJFUzEiMCAGA1UEAwwZTGxhdmVybyBUZXN0IEludGVybWVkaWF0ZQ==
            """),
        normalizedSubject: decoded(
            """
            MQswCQYDVQQGEwJFUzEWMBQGA1UECgwNTGxhdmVybyBUZXN0czEVMBMGA1UEAwwMQW5uYSBFeGFtcGxl
            """),
        serialNumber: decoded("EjRWeJA="),
        subjectKeyID: decoded("KSxGomcOQMqQASe0gwV37GFeQXg="),
        publicKeyHash: decoded("KSxGomcOQMqQASe0gwV37GFeQXg="))

    /// Self-signed, an RSA key, no e-mail address.
    static let berta = CertificateSample(
        name: "Berta Example", version: 3,
        der: decoded(
            """
            MIIC3DCCAcSgAwIBAgIBBzANBgkqhkiG9w0BAQsFADAYMRYwFAYDVQQDDA1CZXJ0YSBFeGFtcGxlMCAXDTIw
            MDEwMTAwMDAwMFoYDzIwNTAwMTAxMDAwMDAwWjAYMRYwFAYDVQQDDA1CZXJ0YSBFeGFtcGxlMIIBIjANBgkq
            hkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqWvk10lX21rh0qLyzzFnmeuON1kPvAjzIiGorU+VSnLe7k1n52SX
            6arxZJuP11Wj9O+ZULlDsXzoG9ms+xPhcq6NOi54aRp2C6THVnX4sy6B/FuXIg757rvkcjp7xBNTSVTtdeuO
            hCObN/49/WWa5zt/6JmThUcIX/87sP0jR2pKj3FRkS8hP7i2+qRmhlhanLzukLGjF7iuz4mT8LLgjJv2wILb
            W75GtzbqINy7iJD9sEnjKp5ax2CPYBqKEcdkjHnEIUTR/iNzbaWceFksG2GUEZyLFX41NEEnKBLeEKVJOmk5
            JE+ELJBjgA4cdTE/un6HR6FHTaZykUMTudkjtwIDAQABoy8wLTAMBgNVHRMBAf8EAjAAMB0GA1UdDgQWBBSj
            nzAowgQ3Lf58SS/Oiuitpy3UqzANBgkqhkiG9w0BAQsFAAOCAQEAJRHByhOlPtf9ZKcI1koiBOqdF7YYNl8e
            jVP7iEXMr05GKSHBoz2jqt8vmBlrmcuSarpdz/jiaq06b3po2y6K1pdshdCT1NGo4Rz3agpByVYt00hMcvbE
            /H14TxH3D5gvhxsbGJSFhd4Dy0G8ThMsaLGd40jq+9KWeNqFzHF93eVUQtHDtSm3orI6eyBDuKK7h85j9H9r
            M+hxWEAARuLIZRSGCPnM1cLzQwG0RZRgVypo0J21NAmQcp9IGHX/+8bhaY9h4PdIxG/sm4nybZ2cBy75OfKR
            HmKzb8XE7rtM2mqJjjbo+E/WHwSDXTGc349ncG86CAQ/rA3zIwwsWiJnfg==
            """),
        issuerName: decoded("MBgxFjAUBgNVBAMMDUJlcnRhIEV4YW1wbGU="),
        normalizedIssuer: decoded("MRYwFAYDVQQDDA1CZXJ0YSBFeGFtcGxl"),
        normalizedSubject: decoded("MRYwFAYDVQQDDA1CZXJ0YSBFeGFtcGxl"),
        serialNumber: decoded("Bw=="),
        subjectKeyID: decoded("o58wKMIENy3+fEkvzororact1Ks="),
        publicKeyHash: decoded("o58wKMIENy3+fEkvzororact1Ks="))

    /// Valid in the year 2001.
    static let expired = CertificateSample(
        name: "Long Ago", version: 3,
        der: decoded(
            """
            MIIBQzCB6qADAgECAgEIMAoGCCqGSM49BAMCMBMxETAPBgNVBAMMCExvbmcgQWdvMB4XDTAxMDEwMTAwMDAw
            MFoXDTAyMDEwMTAwMDAwMFowEzERMA8GA1UEAwwITG9uZyBBZ28wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
            AAQLWRRN/EubHMH/4D9OIFAwcuc4mKjHH9YvRdHm9lJf5BaC4Ap3gAW5P2YU51Wxw9NFmFnRB9n234jumY01
            CG5uoy8wLTAMBgNVHRMBAf8EAjAAMB0GA1UdDgQWBBSD9qGAsIdAndiHr+5ReLEVKzGnTzAKBggqhkjOPQQD
            AgNIADBFAiEAhgNNDQJEiz2EFK4I/gZUcMSXgrZFsZ8tAfx4QaUbQ/gCIGw0QwNzAej9NWihZl0DsDFWxfTy
            RNYSVnW8pSZj9OaJ
            """),
        issuerName: decoded("MBMxETAPBgNVBAMMCExvbmcgQWdv"),
        normalizedIssuer: decoded("MREwDwYDVQQDDAhMb25nIEFnbw=="),
        normalizedSubject: decoded("MREwDwYDVQQDDAhMb25nIEFnbw=="),
        serialNumber: decoded("CA=="),
        subjectKeyID: decoded("g/ahgLCHQJ3Yh6/uUXixFSsxp08="),
        publicKeyHash: decoded("g/ahgLCHQJ3Yh6/uUXixFSsxp08="))

    /// Valid in the year 2090.
    static let future = CertificateSample(
        name: "Far Off", version: 3,
        der: decoded(
            """
            MIIBRTCB7KADAgECAgEJMAoGCCqGSM49BAMCMBIxEDAOBgNVBAMMB0ZhciBPZmYwIhgPMjA5MDAxMDEwMDAw
            MDBaGA8yMDkxMDEwMTAwMDAwMFowEjEQMA4GA1UEAwwHRmFyIE9mZjBZMBMGByqGSM49AgEGCCqGSM49AwEH
            A0IABIpC0pXAtbcWfs+3RXyFX8RabYUPtdPOOwR6BII1dHGiFva9RRlJs85HGD6QVYn1uGg/WkzrsHGY7Gof
            v4BZp86jLzAtMAwGA1UdEwEB/wQCMAAwHQYDVR0OBBYEFCovI2ie1bgG30axg0kd9kiKNZXZMAoGCCqGSM49
            BAMCA0gAMEUCIE+pZYP0QXUUnM/yS1aSwWEQcS9U0joXBOrPvFG14OafAiEA4Y0rQomDjx6Bptq9zew12m3l
            AtHPRUG19o5w4DFZL80=
            """),
        issuerName: decoded("MBIxEDAOBgNVBAMMB0ZhciBPZmY="),
        normalizedIssuer: decoded("MRAwDgYDVQQDDAdGYXIgT2Zm"),
        normalizedSubject: decoded("MRAwDgYDVQQDDAdGYXIgT2Zm"),
        serialNumber: decoded("CQ=="),
        subjectKeyID: decoded("Ki8jaJ7VuAbfRrGDSR32SIo1ldk="),
        publicKeyHash: decoded("Ki8jaJ7VuAbfRrGDSR32SIo1ldk="))

    /// X.509 version 1: no extensions.
    static let versionOne = CertificateSample(
        name: "Version One", version: 1,
        der: decoded(
            """
            MIIBFDCBvAIBCjAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtWZXJzaW9uIE9uZTAgFw0yNjExMjEyMzM0NDRa
            GA8yMDUxMDcxMzIzMzQ0NFowFjEUMBIGA1UEAwwLVmVyc2lvbiBPbmUwWTATBgcqhkjOPQIBBggqhkjOPQMB
            BwNCAATAPAUw2/pM9tkoZ3WhBCngH9X9TsO4pmINKdMZW/vTEcNcHQlL0tK54pbOgSnsLIBocyZlWW2us5iZ
            nKG8q7IjMAoGCCqGSM49BAMCA0cAMEQCICJ77Juaqxbu8DGv4vw1t8SNyqurNRMH3St7+deLEellAiBBhy1I
            UX93CKdRf9DqpCGDyRI5lNQ6PsjyvUpA2UzTKA==
            """),
        issuerName: decoded("MBYxFDASBgNVBAMMC1ZlcnNpb24gT25l"),
        normalizedIssuer: decoded("MRQwEgYDVQQDDAtWZXJzaW9uIE9uZQ=="),
        normalizedSubject: decoded("MRQwEgYDVQQDDAtWZXJzaW9uIE9uZQ=="),
        serialNumber: decoded("Cg=="),
        subjectKeyID: nil,
        publicKeyHash: decoded("NEQHvUH3U+JYZwbJBC9qwR2sGl4="))
}

extension KeySample {
    /// Elliptic curve P-256; for the certificate of that name.
    static let anna = KeySample(
        type: 73, bits: 256,
        privateKey: decoded(
            """
            BFDPfVHUuF1ld2KTAKbmBOJVnZrPnUtZB3TFhU9GTD1FUoDihLTJ7ikBj5m4UTAtNBKo7p+yYME+zj8CUB3K
            Zc66vrqg/4oTRzmTP25GtitLHVgjrG19kkZfNGio/wrqHQ==
            """),
        publicKey: decoded(
            """
            BFDPfVHUuF1ld2KTAKbmBOJVnZrPnUtZB3TFhU9GTD1FUoDihLTJ7ikBj5m4UTAtNBKo7p+yYME+zj8CUB3K
            Zc4=
            """),
        label: decoded("KSxGomcOQMqQASe0gwV37GFeQXg="))

    /// RSA; for the certificate of that name.
    static let berta = KeySample(
        type: 42, bits: 2048,
        privateKey: decoded(
            """
            MIIEpAIBAAKCAQEAqWvk10lX21rh0qLyzzFnmeuON1kPvAjzIiGorU+VSnLe7k1n52SX6arxZJuP11Wj9O+Z
            ULlDsXzoG9ms+xPhcq6NOi54aRp2C6THVnX4sy6B/FuXIg757rvkcjp7xBNTSVTtdeuOhCObN/49/WWa5zt/
            6JmThUcIX/87sP0jR2pKj3FRkS8hP7i2+qRmhlhanLzukLGjF7iuz4mT8LLgjJv2wILbW75GtzbqINy7iJD9
            sEnjKp5ax2CPYBqKEcdkjHnEIUTR/iNzbaWceFksG2GUEZyLFX41NEEnKBLeEKVJOmk5JE+ELJBjgA4cdTE/
            un6HR6FHTaZykUMTudkjtwIDAQABAoIBAFDKAfyFXW9dFa1/haC2suwLjywmfKHSdLpUaZ6Hgi3XvCXP5JnL
            dsN3ABhVNBDfpkkRDj+XsMeMxBQvx1SNROcOhIr3iPS5qQvhXisFI3yyU0rXFCkqEhW9JHEyIT29Z2xjIr8l
            /jZV0lkvlDjnACh+z35H6bhWyJAaYkkCVRXiuhs3BTBugpao36bKF80mrvARRL/wEkletZrvwSnmyE6+xAl0
            5DxKXVTQd+0Y/8bXDCSUNZNoSdqqZ3pnqIQKiFie1ZvlIxk5Cg8eZMJAZ0YWLjyzvcfi7Zg4AMrttJhF272f
            M9KVL5Co0/vl5+W8+NpoUs4Tzaxl04RY4woLzt0CgYEA66FAc4bP/SVs5jhOc7YGLmZ6rK/tHUQRD8AG/iNM
            A05dQuUNstBMcLlyXBD2Ly6xTBsGgjIE4JXXUNdEGII/5oMnM64mvo0twJ3mbJXi2zSLCFweDONWaYVZlYAs
            bJ2N19YVGCyUjGKFc4GLDRI/0q2OoX4Kiot+KKjRTOzDIdsCgYEAuBFgfGarP8OuuPP2a9vv0tPB1LC81lJz
            4y9U4AuzDXqsfxfiNSNHhWrLrf4RbJTMJxpYYojkRdIicUmE/8tDFthyIPS4Dsb7mBjuV9FIdY4denI0T1W0
            j3QGzry09R0LELgExeY2Z/IlRsMN2A8oAo+Fq9QcLCZ8+WdPAydAklUCgYEApm7wymk38jQENp0g9ORme1HR
            ZrahAmH4typJBitCXrd0cnK9+UbeJ2Ul3NfyPCN8Aii4sS/JeCT+wFA8/h7KKfULtJpXLZMk9P/TKXG5mmID
            rnT6mNnfSItzWoD9X/7tmL3Tio66ompYntyqriHsyM/khjc0FOYwx2Fu7SnzLq8CgYEAkQ5oqkDCzhJpHCpu
            VRvTSKNGilXpy0DZQP1o9tNhfMrjK5ln1BaEY5kBAJJLqvUsWdiCNMzKkFeEeyDEJk1KBrP2ZRBWCJc5aOik
            1CIC51li078yiB7zl2WJg9zlApGrybYrVMYStCH4zGYk/9MZ5cKzRfF3bje6n1WRx9tkIK0CgYAPE3sBjNjr
            e7y8DOtZl8yjvqKDrX442wYonMmrBDo9VC8RUb2VTrmhVJcuMT3jqRsdN3IXfTk6ifw2BmADqWOEgqpiBSXi
            aQlp3VFnqCc4rhVilt7XrCcZeRKYr1NVCbcE7h6HtnAqD7+K8cQbYQ4JZ9lT4Pc6q/7/8bNWgpHCqA==
            """),
        publicKey: decoded(
            """
            MIIBCgKCAQEAqWvk10lX21rh0qLyzzFnmeuON1kPvAjzIiGorU+VSnLe7k1n52SX6arxZJuP11Wj9O+ZULlD
            sXzoG9ms+xPhcq6NOi54aRp2C6THVnX4sy6B/FuXIg757rvkcjp7xBNTSVTtdeuOhCObN/49/WWa5zt/6JmT
            hUcIX/87sP0jR2pKj3FRkS8hP7i2+qRmhlhanLzukLGjF7iuz4mT8LLgjJv2wILbW75GtzbqINy7iJD9sEnj
            Kp5ax2CPYBqKEcdkjHnEIUTR/iNzbaWceFksG2GUEZyLFX41NEEnKBLeEKVJOmk5JE+ELJBjgA4cdTE/un6H
            R6FHTaZykUMTudkjtwIDAQAB
            """),
        label: decoded("o58wKMIENy3+fEkvzororact1Ks="))

    /// Elliptic curve P-256; for the certificate from the future.
    static let other = KeySample(
        type: 73, bits: 256,
        privateKey: decoded(
            """
            BIpC0pXAtbcWfs+3RXyFX8RabYUPtdPOOwR6BII1dHGiFva9RRlJs85HGD6QVYn1uGg/WkzrsHGY7Gofv4BZ
            p86Mh0pf4Fh1K6WC/5e2jfnMQtX/063Z5ICPxXsSOTduuw==
            """),
        publicKey: decoded(
            """
            BIpC0pXAtbcWfs+3RXyFX8RabYUPtdPOOwR6BII1dHGiFva9RRlJs85HGD6QVYn1uGg/WkzrsHGY7Gofv4BZ
            p84=
            """),
        label: decoded("Ki8jaJ7VuAbfRrGDSR32SIo1ldk="))
}
