// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file
// Written by Scripts/generate-revocation-samples.

/// A root, certificates below it and what it says of them; DER, as base64.
enum RevocationSamples {
    /// The issuer.
    static let root =
        "MIIBYTCCAQagAwIBAgIBATAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARSb290MB4XDTIzMTEwMTAwMDAwMFoXDTMzMTEw"
        + "MTAwMDAwMFowDzENMAsGA1UEAwwEUm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJhpBzvAAl6CqT4hKgPkz5HS"
        + "AUA8oaAJJHVQwYH3vhAfiCMivKqQCjEAf/ZpVv4l5V0C5BzLBsgL7N2n7aAHkDmjUzBRMA8GA1UdEwEB/wQFMAMBAf8w"
        + "HQYDVR0OBBYEFE+yeOAABH+uKl0GhmmeGTVRUVSIMB8GA1UdIwQYMBaAFE+yeOAABH+uKl0GhmmeGTVRUVSIMAoGCCqG"
        + "SM49BAMCA0kAMEYCIQDAwwiWcaUE+HUx7Y/KugibRTXSz9cyyBPuqAplT3Q9rwIhAPlvI6rssb8oUnr4RXc8u+6VOlmE"
        + "Ewawz/fItB9ts1Ub"
    /// A certificate that is good.
    static let good =
        "MIIBXTCCAQOgAwIBAgIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARSb290MB4XDTIzMTEwMTAwMDAwMFoXDTMzMTEw"
        + "MTAwMDAwMFowDzENMAsGA1UEAwwER29vZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHMnHgtPC/x8Ycoo4mpIJ0PM"
        + "ADMfntzeMDY0Oe37nSvQO/dzs5lOFMPywW0LRyPLy2jCiDOxz7FgGPIbPD4N/s+jUDBOMAwGA1UdEwEB/wQCMAAwHQYD"
        + "VR0OBBYEFBE9dNWypXWogsfursFZQLiZMb9xMB8GA1UdIwQYMBaAFE+yeOAABH+uKl0GhmmeGTVRUVSIMAoGCCqGSM49"
        + "BAMCA0gAMEUCIHfMyfE/iFjfdaW/u1ceTdl65egbteIP85EwtHueTs77AiEAvkQBuMaVXUqD3ZAdGkyFmL+CJQQvsBnX"
        + "sFXgv0Ub7SI="
    /// A certificate that is revoked.
    static let bad =
        "MIIBXTCCAQKgAwIBAgIBAzAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARSb290MB4XDTIzMTEwMTAwMDAwMFoXDTMzMTEw"
        + "MTAwMDAwMFowDjEMMAoGA1UEAwwDQmFkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEh/G4+/D8SFIBL4Mc91z7+Ufc"
        + "1rrBMUUJehj/EKVEAGZK7BFCo/52vxfh08IsomsJLAhd68fg2NeonjdKMRA8haNQME4wDAYDVR0TAQH/BAIwADAdBgNV"
        + "HQ4EFgQUWvYTvdrrcF8hxnQEPbG6D7yZoAowHwYDVR0jBBgwFoAUT7J44AAEf64qXQaGaZ4ZNVFRVIgwCgYIKoZIzj0E"
        + "AwIDSQAwRgIhAIh76sLf+86odZLoDyPJexdoCXCbY//doV0diQBzFFSTAiEAp02lLdmA9FIUZBEg8C8RQuzVP805rD/X"
        + "SPgR/dWXz/A="
    /// The OCSP response about the good one.
    static let goodResponse =
        "MIIBAQoBAKCB+zCB+AYJKwYBBQUHMAEBBIHqMIHnMIGPohYEFE+yeOAABH+uKl0GhmmeGTVRUVSIGA8yMDI2MTEyNzAx"
        + "NTUyOFowZDBiMDowCQYFKw4DAhoFAAQUbuS/Tqd5JdsVLlKtLGnS4+h4VGoEFE+yeOAABH+uKl0GhmmeGTVRUVSIAgEC"
        + "gAAYDzIwMjMxMTAxMDAwMDAwWqARGA8yMDMzMTEwMTAwMDAwMFowCgYIKoZIzj0EAwIDRwAwRAIgLUgCNYs/fBqrhWk2"
        + "1M4vhX50HjavlMPkc5Bls2INJ0sCIAQLqvYX7fFDz2Cgz+qWv+pFzzpOKJJ3Mtpm7m4dOZ+V"
    /// The OCSP response about the revoked one.
    static let badResponse =
        "MIIBFQoBAKCCAQ4wggEKBgkrBgEFBQcwAQEEgfwwgfkwgaCiFgQUT7J44AAEf64qXQaGaZ4ZNVFRVIgYDzIwMjYxMTI3"
        + "MDE1NTI4WjB1MHMwOjAJBgUrDgMCGgUABBRu5L9Op3kl2xUuUq0sadLj6HhUagQUT7J44AAEf64qXQaGaZ4ZNVFRVIgC"
        + "AQOhERgPMjAyMzExMDEwMDAwMDBaGA8yMDIzMTEwMTAwMDAwMFqgERgPMjAzMzExMDEwMDAwMDBaMAoGCCqGSM49BAMC"
        + "A0gAMEUCIQCvh5jsUxczK0BVpFdhDSUOwIbPE2s8KDf5MymIFGXsmgIgcHvx9JB7/FI1Che2XPx7kbT6+Yrb1dIFSTiE"
        + "qGJvls4="
    /// The revocation list.
    static let list =
        "MIHdMIGFAgEBMAoGCCqGSM49BAMCMA8xDTALBgNVBAMMBFJvb3QXDTIzMTEwMTAwMDAwMFoXDTMzMTEwMTAwMDAwMFow"
        + "FDASAgEDFw0yMzExMDEwMDAwMDBaoC8wLTAKBgNVHRQEAwIBATAfBgNVHSMEGDAWgBRPsnjgAAR/ripdBoZpnhk1UVFU"
        + "iDAKBggqhkjOPQQDAgNHADBEAiAXnlwwuPpQR7b5lr5BVu12BRSwxVPmFaaMiXjq4eJXWwIgEqY+giljBMMBjgx/PS0r"
        + "kOLS+4sIQ4VHT9utjMu2X9o="
}
