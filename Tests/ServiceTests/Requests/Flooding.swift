// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Perl programs that use as many of a service's resources as possible; their argument is its
/// socket.
enum Flooding {
    /// Opens 32 connections, begins a request of 16 MiB on each, sends 6 MiB of it, and waits.
    static let halfSender = """
        use IO::Socket::UNIX;
        $SIG{PIPE} = 'IGNORE';
        my @all;
        my $piece = "\\0" x 65536;
        for (1..32) {
            my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or next;
            push @all, $s;
            syswrite $s, pack("VVvvV", 0, 16777216, 1, 1, 1);
            for (1..96) { defined syswrite($s, $piece) or last; }
        }
        $| = 1;
        print "sent\\n";
        <STDIN>;
        """

    /// Opens 32 connections, makes a request on each, and keeps those that stay open.
    static let keeper = """
        use IO::Socket::UNIX;
        $SIG{PIPE} = 'IGNORE';
        my @all = map { IO::Socket::UNIX->new(Peer => $ARGV[0]) or () } 1..32;
        for my $s (@all) { syswrite $s, pack("VVvvV", 0, 0, 1, 16, 1); }
        my $open = grep { (sysread($_, my $b, 4096) // 0) > 0 } @all;
        $| = 1;
        print "open $open\\n";
        <STDIN>;
        """

    /// Connects, makes a request without waiting for its answer, and keeps the connection.
    static let asker = """
        use IO::Socket::UNIX;
        my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die;
        syswrite $s, pack("VVvvV", 0, 0, 1, 16, 1);
        $| = 1;
        print "asked\\n";
        <STDIN>;
        """

    /// Asks for challenges on eight connections, one after the other, until its input ends.
    static let challenger = """
        use IO::Socket::UNIX;
        $SIG{PIPE} = 'IGNORE';
        my @all = map { IO::Socket::UNIX->new(Peer => $ARGV[0]) or die } 1..8;
        $| = 1;
        my $count = 0;
        while (1) {
            for my $s (@all) {
                syswrite $s, pack("VVvvV", 0, 0, 1, 6, 1) or die;
            }
            for my $s (@all) { sysread $s, my $b, 4096 or die; }
            print "flooding\\n" if ++$count == 10;
        }
        """

    /// Asks a naive service for a nonce, and brings it back after a line.
    static let honestChallenged = """
        use IO::Socket::UNIX;
        my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die;
        syswrite $s, pack("VVvvV", 0, 0, 1, 6, 1);
        sysread $s, my $nonce, 64;
        $| = 1;
        print "asked\\n";
        <STDIN>;
        syswrite $s, pack("VVvvV", length $nonce, 0, 1, 8, 2) . $nonce;
        sysread $s, my $answer, 64;
        print "$answer\\n";
        """

    /// Sends one letter to a naive service and says what comes of it.
    static let honestWriter = """
        use IO::Socket::UNIX;
        my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die;
        syswrite $s, pack("VVvvV", 1, 0, 1, 7, 1) . "x";
        sysread $s, my $answer, 64;
        print "$answer\\n";
        """

    /// Sends letters that don't open on 16 connections, each as soon as the one before is
    /// answered, until its input ends.
    static let guesser = """
        use IO::Socket::UNIX;
        use IO::Select;
        $SIG{PIPE} = 'IGNORE';
        my @all = map { IO::Socket::UNIX->new(Peer => $ARGV[0]) or die } 1..16;
        $| = 1;
        my $body = "\\x08\\x02\\x12\\x40" . ("x" x 64);
        my $frame = pack("VVvvV", length $body, 0, 1, 7, 1) . $body;
        syswrite $_, $frame or die for @all;
        my $select = IO::Select->new(@all);
        my $count = 0;
        while (1) {
            for my $s ($select->can_read) {
                sysread $s, my $b, 4096 or die;
                syswrite $s, $frame or die;
                print "flooding\\n" if ++$count == 100;
            }
        }
        """
}
