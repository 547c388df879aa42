#!/usr/bin/perl
# Answers `rel FIELD` and `arch ARCHITECTURE FIELD` of tests/support/version_probe.cpp with Debian's Dpkg::Deps.
use strict;
use warnings;
use Dpkg::Arch qw(debarch_is_concerned);
use Dpkg::Deps;

sub unescaped {
    my ($text) = @_;
    $text =~ s/%([0-9A-F]{2})/chr hex $1/ge;
    return $text;
}

# From the parts of the object, not from its own printing.
sub relation {
    my ($simple) = @_;
    my $text = lc $simple->{package};
    $text .= ":$simple->{archqual}" if defined $simple->{archqual};
    $text .= " ($simple->{relation} $simple->{version})" if defined $simple->{relation};
    $text .= " [@{$simple->{arches}}]" if defined $simple->{arches};
    $text .= " <@{$_}>" foreach @{$simple->{restrictions} // []};
    return $text;
}

sub alternatives {
    my ($clause) = @_;
    return $clause->isa('Dpkg::Deps::OR') ? $clause->get_deps() : ($clause);
}

while (my $line = <STDIN>) {
    chomp $line;
    my ($kind, @words) = map { unescaped($_) } split / /, $line, -1;
    my $field = pop @words;
    my $parsed = deps_parse($field, use_arch => 1, use_profiles => 1);
    if (not defined $parsed) {
        print "error\n";
    } elsif ($kind eq 'arch') {
        my @answers = map { debarch_is_concerned($words[0], @{$_->{arches} // ['any']}) ? 'yes' : 'no' }
            map { (alternatives($_))[0] } $parsed->get_deps();
        print join(' ', @answers), "\n";
    } else {
        print join(', ', map { join(' | ', map { relation($_) } alternatives($_)) } $parsed->get_deps()), "\n";
    }
}
