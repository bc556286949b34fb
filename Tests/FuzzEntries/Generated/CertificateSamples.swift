// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file
// Written by Scripts/generate-certificate-samples.

/// A certificate, and the derived attributes.
package struct CertificateSample: Sendable {
    package let der, subjectName, issuerName, subject, issuer, serialNumber: String
    package let subjectKeyID: String?
    package let publicKeyHash: String
    package let version: Int64
    package let summary: String
    package let email: String?
    /// Seconds since 2001.
    package let notBefore, notAfter: Double

    package static let all: [CertificateSample] = [
        CertificateSample(
            der: "MIIBczCCARqgAwIBAgIBATAKBggqhkjOPQQDAjAxMRowGAYDVQQKExEgIE1vZGVsICAgbWFrZXJzIDETMBEGA1UEAxMKTW9kZWwgUm9vdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowMTEaMBgGA1UEChMRICBNb2RlbCAgIG1ha2VycyAxEzARBgNVBAMTCk1vZGVsIFJvb3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQpKDb0jBG2BL4gIcQFxrCoY/RiIiPl5TnAnX2s/WFn95sz52IV49VXF/nXTRgOmSCWv0NjUGqSzLYX8eSmjs9goyEwHzAdBgNVHQ4EFgQUB9QbWh+jYIcMj+TGvneAYoHZphAwCgYIKoZIzj0EAwIDRwAwRAIgWpDzg6QCYROhForYVLRpjP1n6yyACXBC39+xAhYhYbECICj6WcM3dXpOrDaub6VID9ZZNkceZY6ce+F8OjI54RyY",
            subjectName: "MDExGjAYBgNVBAoTESAgTW9kZWwgICBtYWtlcnMgMRMwEQYDVQQDEwpNb2RlbCBSb290",
            issuerName: "MDExGjAYBgNVBAoTESAgTW9kZWwgICBtYWtlcnMgMRMwEQYDVQQDEwpNb2RlbCBSb290",
            subject: "MRUwEwYDVQQKEwxNT0RFTCBNQUtFUlMxEzARBgNVBAMTCk1PREVMIFJPT1Q=",
            issuer: "MRUwEwYDVQQKEwxNT0RFTCBNQUtFUlMxEzARBgNVBAMTCk1PREVMIFJPT1Q=",
            serialNumber: "AQ==",
            subjectKeyID: "B9QbWh+jYIcMj+TGvneAYoHZphA=",
            publicKeyHash: "B9QbWh+jYIcMj+TGvneAYoHZphA=",
            version: 3,
            summary: "Model Root",
            email: nil,
            notBefore: 599529600.0,
            notAfter: 3755203200.0),
        CertificateSample(
            der: "MIIBWjCCAQGgAwIBAgICAIAwCgYIKoZIzj0EAwIwMTEaMBgGA1UEChMRICBNb2RlbCAgIG1ha2VycyAxEzARBgNVBAMTCk1vZGVsIFJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBcxFTATBgNVBAMMDE1vZGVsIE1pZGRsZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGRkdj5rx1gOL1iqC0zk+PENEbf5xEGBnaJ5f6nvyMT01Un7ZAsydbJLmB2/uQNhafAPEMi1mY/r9WFBzuWT8oejITAfMB0GA1UdDgQWBBQmmg6Y3lrvPBgLIuU/J4apEi7nxTAKBggqhkjOPQQDAgNHADBEAiBOaUTKrTxrWxJ48bXEEzM4UNJVkUd5xB2heNM2vaYd/wIgNoMb+nWSDbq8MXBLzhhjKvJBVOQVLrM9ib6ugjvEpuY=",
            subjectName: "MBcxFTATBgNVBAMMDE1vZGVsIE1pZGRsZQ==",
            issuerName: "MDExGjAYBgNVBAoTESAgTW9kZWwgICBtYWtlcnMgMRMwEQYDVQQDEwpNb2RlbCBSb290",
            subject: "MRUwEwYDVQQDDAxNb2RlbCBNaWRkbGU=",
            issuer: "MRUwEwYDVQQKEwxNT0RFTCBNQUtFUlMxEzARBgNVBAMTCk1PREVMIFJPT1Q=",
            serialNumber: "AIA=",
            subjectKeyID: "JpoOmN5a7zwYCyLlPyeGqRIu58U=",
            publicKeyHash: "JpoOmN5a7zwYCyLlPyeGqRIu58U=",
            version: 3,
            summary: "Model Middle",
            email: nil,
            notBefore: 599529600.0,
            notAfter: 3755203200.0),
        CertificateSample(
            der: "MIIBcTCCARegAwIBAgIBAzAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAxNb2RlbCBNaWRkbGUwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMCwxFTATBgNVBAoTDG1vZGVsIG1ha2VyczETMBEGA1UEAwwKRmlyc3QgTGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDwS/XYpEMwskabOTkA5z8bYuCoscPFfvgzUbSMqOW7qLJeU1X/rWOj9lhKvRnoqLm6my+LD4xMzsFOaBNaxFYmjPTA7MB0GA1UdDgQWBBSjCrgvyhIpZPFz+E8gu8S7aWC33jAaBgNVHREEEzARgQ9BbmFAZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIhAK6Vi/dK1acpLlwX4aunexPl55yio4DOTACDLHnHrlX0AiBJFWqa2Y25tzVzKOFFWUqmJE+5m5KepF+V8Nl0rQgiYg==",
            subjectName: "MCwxFTATBgNVBAoTDG1vZGVsIG1ha2VyczETMBEGA1UEAwwKRmlyc3QgTGVhZg==",
            issuerName: "MBcxFTATBgNVBAMMDE1vZGVsIE1pZGRsZQ==",
            subject: "MRUwEwYDVQQKEwxNT0RFTCBNQUtFUlMxEzARBgNVBAMMCkZpcnN0IExlYWY=",
            issuer: "MRUwEwYDVQQDDAxNb2RlbCBNaWRkbGU=",
            serialNumber: "Aw==",
            subjectKeyID: "owq4L8oSKWTxc/hPILvEu2lgt94=",
            publicKeyHash: "owq4L8oSKWTxc/hPILvEu2lgt94=",
            version: 3,
            summary: "First Leaf",
            email: "Ana@example.com",
            notBefore: 599529600.0,
            notAfter: 3755203200.0),
        CertificateSample(
            der: "MIIBYDCCAQegAwIBAgIBBDAKBggqhkjOPQQDAjAxMRowGAYDVQQKExEgIE1vZGVsICAgbWFrZXJzIDETMBEGA1UEAxMKTW9kZWwgUm9vdDAeFw0wMTAxMDEwMDAwMDBaFw0wNTAxMDEwMDAwMDBaMBYxFDASBgNVBAMTC1NlY29uZCBMZWFmMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEPBL9dikQzCyRps5OQDnPxti4Kixw8V++DNRtIyo5buosl5TVf+tY6P2WEq9GeioubqbL4sPjEzOwU5oE1rEViaMrMCkwDAYDVR0TAQH/BAIwADAZBgNVHREEEjAQgQ5ib0BleGFtcGxlLmNvbTAKBggqhkjOPQQDAgNHADBEAiAEZOJnWuCjb9yFAQi5Wa3fb1Q3oYsXNb84jKZwWN2fcQIgE6KvMsUuVgfXCJJu8YMQA/PPzRxpHk6uQCbvEfC5Uys=",
            subjectName: "MBYxFDASBgNVBAMTC1NlY29uZCBMZWFm",
            issuerName: "MDExGjAYBgNVBAoTESAgTW9kZWwgICBtYWtlcnMgMRMwEQYDVQQDEwpNb2RlbCBSb290",
            subject: "MRQwEgYDVQQDEwtTRUNPTkQgTEVBRg==",
            issuer: "MRUwEwYDVQQKEwxNT0RFTCBNQUtFUlMxEzARBgNVBAMTCk1PREVMIFJPT1Q=",
            serialNumber: "BA==",
            subjectKeyID: nil,
            publicKeyHash: "owq4L8oSKWTxc/hPILvEu2lgt94=",
            version: 3,
            summary: "Second Leaf",
            email: "bo@example.com",
            notBefore: 0.0,
            notAfter: 126230400.0),
        CertificateSample(
            der: "MIICtzCCAZ8CAgEsMA0GCSqGSIb3DQEBCwUAMCAxDDAKBgNVBAoMA09sZDEQMA4GA1UEAwwHT2xkIE9uZTAgFw0yNjExMjEyMzM1MjlaGA8yMTI2MTAyODIzMzUyOVowIDEMMAoGA1UECgwDT2xkMRAwDgYDVQQDDAdPbGQgT25lMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtQTnsHAGILC2zW61qOKqqztHINjYbx+dbLzaguEOswQrrziFgLt43R08qQ8xNO6sLV8asSYFJi8YBo7gl5N1JjbcNpsBvwxOSBneFh9U6oor8R3zAOq6CquSbE/rnj7faQxDlEnFXuwDNX6JIPvASJLeC1UBvLrjDXECLYoqxZJB8t7RBk9C0muNvme+aZ0ytrl1umaPvPanorm9Z5PPMsBP+R3S9cycgahrmbF7orS39jWVM54SLNDHklqbL7F4mlcISIEWFVWW2pC5F2JBAuYk4VHJDMQ7pgc04ELOQX6ghfehHHjJONoCrrnAfJ20vuX13aMUj8My6MsMSifHgQIDAQABMA0GCSqGSIb3DQEBCwUAA4IBAQB0sHajBxCLspINCtiE08X2FC1FrsffSk9UqedtcfD8BDJ9j4tVlEF/40frskdHrOhXlNPxhNgIqogHfHQB3GDwMbffnLu0HFXghJm7evo/5f8GM9ra/3UVhkQpI1a9Iys4a2AEOrzQU2zHIFsussaL4r1j//f6LUZ6DIUbndorsLHs9QrpBG0dnc+ASCIVbUo/FuFx+F9pMVPp/erMT3HP+H29Vt/iqb/whBaKxpMJCKPYXGXE5YfbM4zsO6b9tisjOvl9Vb/e0h/0o6NtPTNJDX1IDtF7Z20Q5VGbOVFDkucFrfi1//DGB6VVpjA/AIdeXMV4eebMjYAdlEbp3JGi",
            subjectName: "MCAxDDAKBgNVBAoMA09sZDEQMA4GA1UEAwwHT2xkIE9uZQ==",
            issuerName: "MCAxDDAKBgNVBAoMA09sZDEQMA4GA1UEAwwHT2xkIE9uZQ==",
            subject: "MQwwCgYDVQQKDANPbGQxEDAOBgNVBAMMB09sZCBPbmU=",
            issuer: "MQwwCgYDVQQKDANPbGQxEDAOBgNVBAMMB09sZCBPbmU=",
            serialNumber: "ASw=",
            subjectKeyID: nil,
            publicKeyHash: "+t6/2YYYux3nJ9wTo4Gh8nHG1TY=",
            version: 1,
            summary: "Old One",
            email: nil,
            notBefore: 816996929.0,
            notAfter: 3970596929.0),
    ]
}

/// A key in its external representation, and the digest of its public key.
package struct KeySample: Sendable {
    package let data: String
    package let isPrivate, isRSA: Bool
    package let sizeInBits: Int64
    package let publicKeyHash: String

    package static let all: [KeySample] = [
        KeySample(
            data: "BDwS/XYpEMwskabOTkA5z8bYuCoscPFfvgzUbSMqOW7qLJeU1X/rWOj9lhKvRnoqLm6my+LD4xMzsFOaBNaxFYl7OrlzJJ/VZ0gu5SBD/dmcLrfFyiRBDAHlfPTMLt7jyw==",
            isPrivate: true, isRSA: false,
            sizeInBits: 256,
            publicKeyHash: "owq4L8oSKWTxc/hPILvEu2lgt94="),
        KeySample(
            data: "BDwS/XYpEMwskabOTkA5z8bYuCoscPFfvgzUbSMqOW7qLJeU1X/rWOj9lhKvRnoqLm6my+LD4xMzsFOaBNaxFYk=",
            isPrivate: false, isRSA: false,
            sizeInBits: 256,
            publicKeyHash: "owq4L8oSKWTxc/hPILvEu2lgt94="),
        KeySample(
            data: "MIIEpAIBAAKCAQEAtQTnsHAGILC2zW61qOKqqztHINjYbx+dbLzaguEOswQrrziFgLt43R08qQ8xNO6sLV8asSYFJi8YBo7gl5N1JjbcNpsBvwxOSBneFh9U6oor8R3zAOq6CquSbE/rnj7faQxDlEnFXuwDNX6JIPvASJLeC1UBvLrjDXECLYoqxZJB8t7RBk9C0muNvme+aZ0ytrl1umaPvPanorm9Z5PPMsBP+R3S9cycgahrmbF7orS39jWVM54SLNDHklqbL7F4mlcISIEWFVWW2pC5F2JBAuYk4VHJDMQ7pgc04ELOQX6ghfehHHjJONoCrrnAfJ20vuX13aMUj8My6MsMSifHgQIDAQABAoIBAAgf67w+EvBVribDUND/N3TPCM6/HNvD+f9e7JnSOyQqzEElksxn3bFi9g2KeoVrLvwsWBjaYYHIvFXTBN6YxjnMXY7v3yCxjzPqQU8R4fBS+kzssLL6VhZThBNrdOJZ5RIkdEYMF5k+k5hLkSETW5qGSQQOMTFE3BsG1vevS2MprXHp9T0xQshX+g8zoGJC6WCgT7xisZm7QgJT54eBmaEPY41HYC0i65N2BKOnHTQAfG8+vJCP2yKzdSwGtfdGkatku9/CgescGxEaE5bTyideWenRIfOq0XZmZUF2tqDRqfltqAjExtmoZqEi51J31E3Q0SLmu9nsI2nUm6MHNncCgYEA7pYcQ45snyiH8MdnPcF4g3bGJ0UkqHZpykNEseWVac0rGJ6mNM5fCm9x07sPGrYRyCeeUB+j960kQ2zSK/0TnBhCCw6MJiaSizSSc5jLR2Tkl+94B/iy2GCMwR/3SttO3Fi0Fxdih7TMIGv9tXlhhOwDEtkVSfr0zpjtgNr7R58CgYEAwjsst2dknxXfDW+nSffLP6xq2tIrJWv8VGxNPbBIXDN+y9ANOhyKcjp05fbv7201HCD+at3k+z/1of/b5bDZ6sjNeGsjqDWaQaH6NTppdbV115op16L97Nj2t9I51o3Ns3V82hgpvYo2J2cyid7jAB5UxTDdGPtqfsWdn6gxHN8CgYEAhbyfGz86o/yUNuOPe453fzmU2W5ongXCRx5t40pN9oCLJ8HGaNNFcxQFOiogzVhBn3CVzVPvFWZ4bVMSfJXf6B+w5YHCDaCRhHZzoViEmgB0IraZEd7WYXO9coP4mn1UNy+Bw2/YSzmNMp9WF+NyRpAFKQuGY3HIyAXxG8mkEQECgYAfy1/+hcZK5GGm6WgRC6cRvT+gola9wXeEulXKi1jM/wD6jAwePx3KpRcNreaI4u+Wsy/yfnBFUKr84c01REXn0QcRdzhXCK8/nyw+Glm5EwM/T9UZn2zBoKKCZL9jB8NsZQcTDHGIvV8wBAyZ1QqDsnNd9Cm9NSqxpdevkvC3MQKBgQDM+uChwr7THthp8JWcIaUz4wjmDsPFoj3JUbFemeRwv8R6hyeziuXixs2ZRJb+LgJq5+8Owa6pNBgRfY3kGleeAAIKC20NBFF9TLy/a+IF9pgRFUAeMtKIOPAs+7OWzCDc5lTcejk3sYouKv7mUjHKgoFgkbkCT3rDEFAiLMtWjg==",
            isPrivate: true, isRSA: true,
            sizeInBits: 2048,
            publicKeyHash: "+t6/2YYYux3nJ9wTo4Gh8nHG1TY="),
        KeySample(
            data: "BGRkdj5rx1gOL1iqC0zk+PENEbf5xEGBnaJ5f6nvyMT01Un7ZAsydbJLmB2/uQNhafAPEMi1mY/r9WFBzuWT8oej4+hjLLIf6+eD0gu+8UvjZfQG+jA2Jl+pT5kNmP2vWw==",
            isPrivate: true, isRSA: false,
            sizeInBits: 256,
            publicKeyHash: "JpoOmN5a7zwYCyLlPyeGqRIu58U="),
    ]
}
