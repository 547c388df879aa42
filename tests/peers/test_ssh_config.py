"""What topsctl uses of ssh_config, compared with `ssh -G`: equal, or a warning names the keyword."""

import os
import pwd
import subprocess

import pytest

from support.programs import needed

# A configuration, `%D` for its folder, then a target and perhaps what is given with -J.
CONFIGURATIONS = {
    "nothing": ("", "node1"),
    "host": ("Host node1\n  HostName 192.0.2.7\n  Port 2222\n  User ops\n", "node1"),
    "no-host-that-fits": ("Host node2\n  Port 2222\n", "node1"),
    "first-value-wins": ("Host node*\n  Port 1\nHost node1\n  Port 2\n  User b\n", "node1"),
    "before-any-host": ("Port 7\nHost node1\n  Port 8\n", "node1"),
    "hostname-before-later-sections": ("Host a\n HostName 127.0.0.1\nHost a*\n Port 2308\n User op\n IdentityFile /s/id\n", "a"),
    "address-does-not-match-host": ("Host a\n HostName 127.0.0.1\nHost 127.0.0.1\n User nobody\nHost *\n User op\n", "a"),
    "several-patterns": ("Host x node1 y\n  Port 3\n", "node1"),
    "question-mark": ("Host node?\n  Port 4\nHost node??\n  Port 5\n", "node12"),
    "star-within": ("Host n*e*1\n  Port 6\n", "node-one-1"),
    "brackets-are-no-class": ("Host node[1]\n  Port 6\n", "node1"),
    "negation": ("Host *.lab !gate.lab\n  ProxyJump gate.lab\n", "gate.lab"),
    "negation-other": ("Host *.lab !gate.lab\n  ProxyJump gate.lab\n", "n.lab"),
    "negation-alone": ("Host !node2\n  Port 9\n", "node1"),
    "case-of-host": ("Host Node1\n  Port 10\n", "node1"),
    "case-of-target": ("Host node1\n  Port 10\n", "NODE1"),
    "uppercase-keywords": ("HOST node1\n  PORT 11\n  USER Ops\n", "node1"),
    "equals": ("Host=node1\n  Port = 12\n  User=ops\n  IdentityFile =/k/a\n", "node1"),
    "tabs-and-returns": ("Host\tnode1\r\n\tPort\t13\r\n\tUser\tops\r\n", "node1"),
    "comments": ("# Port 1\nHost node1 # node2\n  Port 14 # 15\n  # User no\n", "node1"),
    "comment-names-no-host": ("Host node1 # node2\n  Port 14\n", "node2"),
    "quotes": ('Host "node1"\n  IdentityFile "/k/a b"\n  User "ops"\n', "node1"),
    "single-quotes": ("Host 'node1'\n  IdentityFile '/k/a b'\n", "node1"),
    "escapes": ("Host node1\n  IdentityFile /k/a\\ b\n", "node1"),
    "quoted-keyword-value": ('Host node1\n  UserKnownHostsFile "/k/a b" /k/c\n', "node1"),
    "several-keys": ("IdentityFile /k/a\nIdentityFile /k/b\nHost node1\n  IdentityFile /k/c\n  IdentityFile /k/a\n", "node1"),
    "no-key": ("IdentityFile none\n", "node1"),
    "keys-with-tokens": ("IdentityFile ~/.ssh/%h-%r-%p\nIdentityFile %d/k\nIdentityFile ${HOME}/x\n", "node1"),
    "identities-only": ("IdentitiesOnly yes\nIdentityFile /k/a\n", "node1"),
    "identity-agent": ("Host node1\n  IdentityAgent /run/agent\n", "node1"),
    "identity-agent-none": ("IdentityAgent none\n", "node1"),
    "certificates": ("CertificateFile /k/a-cert.pub\nHost node1\n  CertificateFile /k/b-cert.pub\n", "node1"),
    "host-key-alias": ("Host node1\n  HostKeyAlias n.cluster\n  Port 2200\n", "node1"),
    "known-hosts": ("UserKnownHostsFile /k/a /k/b\nUserKnownHostsFile /k/c\nGlobalKnownHostsFile /k/g /k/h\n", "node1"),
    "known-hosts-none": ("UserKnownHostsFile none\nGlobalKnownHostsFile none\n", "node1"),
    "hostname-with-token": ("Host n1 n2\n  HostName %h.lab.example\n", "n2"),
    "hostname-with-percent": ("Host n1\n  HostName fe80::1%%eth0\n", "n1"),
    "user-given": ("User ops\nMatch user root\n  Port 20\n", "root@node1"),
    "port-given": ("Port 21\n", "node1:2222"),
    "user-of-match-is-that-of-config": ("User ops\nMatch user ops\n  Port 22000\n", "node1"),
    "match-all": ("Host other\n  Port 1\nMatch all\n  Port 23\n", "node1"),
    "match-host-is-hostname": ("Host a\n  HostName b.lab\nMatch host b.lab\n  Port 24\nMatch host a\n  Port 25\n", "a"),
    "match-originalhost": ("Host a\n  HostName b.lab\nMatch originalhost a\n  Port 26\n", "a"),
    "match-two-conditions": ("Match host node1,node2 user ops\n  Port 27\nMatch host node1\n  Port 28\n", "ops@node1"),
    "match-two-conditions-one-fails": ("Match host node1 user ops\n  Port 27\nMatch host node1\n  Port 28\n", "dev@node1"),
    "match-negated": ("Match !host node2 !user root\n  Port 29\n", "ops@node1"),
    "match-localuser": ("Match localuser %U\n  Port 30\n", "node1"),
    "match-case-of-host": ("Match host NODE1\n  Port 31\n", "node1"),
    "match-exec-true": ("Match exec \"test %h = node1\"\n  Port 32\n", "node1"),
    "match-exec-false": ("Match exec \"test %h = node1\"\n  Port 32\n", "node2"),
    "match-exec-tokens": ("User ops\nPort 33\nMatch exec \"test %n-%r-%p-%u = a-ops-33-%U\"\n  HostKeyAlias z\n", "a"),
    "match-exec-negated": ("Match host node1 !exec false\n  Port 34\n", "node1"),
    "match-exec-not-run": ("Match host other exec \"touch %D/ran\"\n  Port 35\n", "node1"),
    "match-final": ("Match final host b.lab\n  Port 36\nHost a\n  HostName b.lab\n", "a"),
    "match-final-all": ("Match final all\n  User late\nHost a\n  User early\n", "b"),
    "final-pass-knows-host-by-its-new-name": ("Host a\n  HostName b.lab\nHost b.lab\n  Port 37\nMatch final\n  User ops\n", "a"),
    "match-not-final": ("Match !final host a\n  Port 38\n", "a"),
    "match-canonical": ("CanonicalizeHostname yes\nMatch canonical host a\n  Port 39\n", "a"),
    "canonical-fallback": ("CanonicalizeHostname yes\nCanonicalDomains invalid\nHost a\n  Port 40\n", "a"),
    "canonical-too-many-dots": ("CanonicalizeHostname yes\nCanonicalDomains invalid\nCanonicalizeMaxDots 0\nMatch canonical all\n  Port 41\n", "a.b"),
    "canonical-not-through-a-jump": ("CanonicalizeHostname yes\nCanonicalDomains invalid\nProxyJump g\n", "a"),
    "canonical-always": ("CanonicalizeHostname always\nCanonicalDomains invalid\nProxyJump g\n", "a"),
    "include": ("Include %D/more\nHost node1\n  Port 42\n", "node1"),
    "include-pattern": ("Host node1\n  Include %D/part-*\n", "node1"),
    "include-that-does-not-count": ("Host node2\n  Include %D/more\nHost *\n  Port 43\n", "node1"),
    "include-does-not-end-the-block": ("Host node1\n  Include %D/other-host\n  Port 44\n", "node1"),
    "include-of-nothing": ("Include %D/nowhere/*\nPort 45\n", "node1"),
    "include-quoted": ('Include "%D/with blank"\n', "node1"),
    "include-two": ("Include %D/more %D/part-2\n", "node1"),
    "include-nested": ("Include %D/nested\n", "node1"),
    "jump": ("Host node1\n  ProxyJump gate\n", "node1"),
    "jump-chain": ("Host node1\n  ProxyJump ops@g1:2201,root@g2\n", "node1"),
    "jump-uri": ("ProxyJump ssh://ops@g1:2201\n", "node1"),
    "jump-address": ("ProxyJump ops@[2001:db8::1]:22\n", "node1"),
    "jump-none": ("Host node1\n  ProxyJump none\nHost *\n  ProxyJump gate\n", "node1"),
    "jump-given": ("Host node1\n  ProxyJump gate\n", "node1", "ops@other:2200"),
    "jump-before-command": ("ProxyJump gate\nProxyCommand nc %h %p\n", "node1"),
    "command-before-jump": ("ProxyCommand nc -x \"a b\" %h %p\nProxyJump gate\n", "node1"),
    "command-none": ("ProxyCommand none\nProxyCommand nc %h %p\n", "node1"),
    "command-with-equals": ("ProxyCommand=/usr/bin/nc --option=1 %h %p # all of it\n", "node1"),
    "checking-yes": ("StrictHostKeyChecking yes\n", "node1"),
    "checking-no": ("StrictHostKeyChecking No\n", "node1"),
    "checking-accept-new": ("Host node1\n  StrictHostKeyChecking accept-new\nHost *\n  StrictHostKeyChecking no\n", "node1"),
    "timeouts": ("ConnectTimeout 5\nConnectionAttempts 3\n", "node1"),
    "timeout-with-unit": ("ConnectTimeout 1m30s\n", "node1"),
    "address-family": ("AddressFamily inet\nBindAddress 127.0.0.1\n", "node1"),
    "authentication": ("PreferredAuthentications publickey,keyboard-interactive\nPasswordAuthentication no\n", "node1"),
    "authentication-old-names": ("ChallengeResponseAuthentication no\nPubkeyAuthentication yes\nNumberOfPasswordPrompts 1\n", "node1"),
    "batch": ("BatchMode yes\n", "node1"),
    "algorithms": ("Ciphers aes128-ctr,aes256-ctr\nMACs hmac-sha2-256\nKexAlgorithms curve25519-sha256\n", "node1"),
    "host-key-algorithms": ("HostKeyAlgorithms ssh-ed25519\nPubkeyAcceptedKeyTypes ssh-ed25519,rsa-sha2-256\n", "node1"),
    "no-bearing": ("ForwardAgent yes\nLogLevel ERROR\nCompression yes\nServerAliveInterval 9\nSendEnv LANG\n", "node1"),
    "gssapi": ("GSSAPIAuthentication yes\n", "node1"),
    "host-based": ("Host node1\n  HostbasedAuthentication yes\n", "node1"),
    "dns": ("VerifyHostKeyDNS yes\n", "node1"),
    "pkcs11": ("PKCS11Provider /usr/lib/p11.so\n", "node1"),
    "known-hosts-command": ("KnownHostsCommand /usr/bin/keys %H\n", "node1"),
    "bind-interface": ("BindInterface eth0\n", "node1"),
    "unknown-is-ignored": ("IgnoreUnknown UseKeychain,Other*\nUseKeychain yes\nOtherThing 1\nPort 50\n", "node1"),
    "address-in-another-form": ("", "[::0001]"),
}

FILES = {
    "more": "Host *\n  User included\n  Port 4201\n",
    "part-1": "IdentityFile /k/part1\n",
    "part-2": "IdentityFile /k/part2\n",
    "other-host": "Host node9\n  User no\n",
    "with blank": "Port 4202\n",
    "nested": "Host node1\n  Include %D/more\n",
}

# They do not decide where, as whom or by what topsctl logs in.
NO_BEARING = {"forwardagent", "loglevel", "compression", "serveraliveinterval", "sendenv", "updatehostkeys"}

WORDS = {"true": "yes", "on": "yes", "false": "no", "off": "no"}


def settings_of(text):
    settings = {}
    for line in text.splitlines():
        keyword, _, value = line.partition(" ")
        settings.setdefault(keyword, []).append(value)
    return settings


def plain(keyword, values):
    """Values in one spelling: of switches, of the brackets of addresses, of lengths of time."""
    values = [value.strip().strip('"') for value in values]
    if keyword == "proxyjump":
        return [value.removeprefix("ssh://").replace("[", "").replace("]", "") for value in values]
    if keyword == "connecttimeout":
        return [{"1m30s": "90"}.get(value, value) for value in values]
    if keyword in ("user", "identityfile", "certificatefile", "hostname"):
        return values
    return [WORDS.get(value.lower(), value.lower()) for value in values]


def openssh(config, target, jump=None):
    user, _, place = target.rpartition("@")
    host, colon, port = (place, "", "") if place.startswith("[") else place.partition(":")
    argv = ["ssh", "-G", "-F", config, *(["-l", user] if user else []), *(["-p", port] if colon else []),
            *(["-J", jump] if jump else []), host.strip("[]")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return settings_of(done.stdout)


@pytest.fixture(scope="module")
def config_probe(repository):
    path = repository / "build" / "dev" / "tests" / "topsctl_ssh_config_probe"
    if not path.exists():
        pytest.fail(f"'{path}' is not built: run tests/run, which builds first", pytrace=False)
    needed("ssh")
    return path


def test_there_are_enough_of_them():
    assert len(CONFIGURATIONS) >= 60


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_configuration_means_what_it_means_to_openssh(name, config_probe, tmp_path):
    text, *words = CONFIGURATIONS[name]
    user = pwd.getpwuid(os.geteuid()).pw_name
    for file, content in {**FILES, "config": text}.items():
        (tmp_path / file).write_text(content.replace("%D", str(tmp_path)).replace("%U", user))
    config = tmp_path / "config"
    said = subprocess.run([config_probe, config, *words], capture_output=True, text=True, check=False, timeout=60)
    assert said.returncode == 0, said.stderr
    ours = settings_of(said.stdout)
    warnings = "\n".join(ours.pop("warning", [])).lower()
    theirs, usual = openssh(config, *words), openssh("none", *words[:1])
    for keyword in ("hostname", "port", "user"):
        assert ours[keyword] == theirs[keyword], keyword
    for keyword, values in theirs.items():
        if values == usual.get(keyword) or keyword in NO_BEARING:
            continue
        assert plain(keyword, ours.get(keyword, [])) == plain(keyword, values) or keyword in warnings, (keyword, ours)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("text, words", [
    ("Host node1\n  UseKeychain yes\n", "'UseKeychain yes' in {} is not known"),
    ("Match localnetwork 10.0.0.0/8\n  Port 5\n", "'Match localnetwork 10.0.0.0/8' in {} is not supported"),
    ("Port many\n", "'Port many' in {} is not a port"),
    ('IdentityFile "/k/a\n', "in {} is not complete"),
    ("VerifyHostKeyDNS yes\nHost node1\n  ProxyJump gate\nHost gate\n  KnownHostsCommand /bin/x\n", "'KnownHostsCommand /bin/x' in {}"),
])
def test_what_openssh_refuses_or_topsctl_cannot_do_is_warned_of(text, words, config_probe, tmp_path):
    config = tmp_path / "config"
    config.write_text(text)
    said = subprocess.run([config_probe, config, "node1"], capture_output=True, text=True, check=False, timeout=60)
    assert said.returncode == 0 and words.format(config) in said.stdout, said.stdout + said.stderr
