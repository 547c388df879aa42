"""The users of a fleet's hosts: how each logs in, its shell, and what sudo asks of it."""

import os
from dataclasses import dataclass

SUDO_PASSWORD = "sudo-pass"
LOGIN_PASSWORD = "log-in-pass"
FIRST_ID = 2000
# By `openssl passwd -5`: hashing at run time costs more than a host does.
HASHES = {
    SUDO_PASSWORD: "$5$fleetsudo$HxW3X7Mj2qDsU56AccCLFkV9qOeZfT.0FF2ce1nYidC",
    LOGIN_PASSWORD: "$5$fleetlogin$mAhk.T4eezYDoC6pslXxqZ4.SSxdQtstUrokxgXVn.5",
}


@dataclass(frozen=True)
class User:
    """`method` is what sshd accepts from it, and nothing else; `sudo` is 'password', 'free' or None."""
    name: str
    shell: str = "/bin/bash"
    method: str = "publickey"
    password: str = None
    sudo: str = "free"


ROOT = User("root", sudo=None)
USERS = (
    User("ops", password=SUDO_PASSWORD, sudo="password"),
    User("free"),
    User("fishy", shell="/usr/bin/fish"),
    User("tcshy", shell="/bin/tcsh"),
    User("pw", method="password", password=LOGIN_PASSWORD),
    User("kbd", method="keyboard-interactive", password=LOGIN_PASSWORD),
)


def add_users(host, users, public_key):
    """Writes the accounts, their sudo rules and, for those who log in with it, the key."""
    accounts, secrets, groups, rules = [], [], [], []
    for number, user in enumerate(users, FIRST_ID):
        # A password that no text has still lets PAM accept a key; '!' would lock the account.
        secrets.append(f"{user.name}:{HASHES.get(user.password, '*')}:19000:0:99999:7:::\n")
        accounts.append(f"{user.name}:x:{number}:{number}::/home/{user.name}:{user.shell}\n")
        groups.append(f"{user.name}:x:{number}:\n")
        if user.sudo:
            rules.append(f"{user.name} ALL=(ALL:ALL) {'NOPASSWD: ' if user.sudo == 'free' else ''}ALL\n")
        _make_home(host.path(f"/home/{user.name}"), number, public_key if user.method == "publickey" else None)
    for path, lines in (("/etc/passwd", accounts), ("/etc/shadow", secrets), ("/etc/group", groups)):
        with open(host.path(path), "a", encoding="utf-8") as file:
            file.writelines(lines)
    sudoers = host.path("/etc/sudoers.d/fleet")
    sudoers.write_text("".join(rules))
    sudoers.chmod(0o440)
    _make_home(host.path("/root"), 0, public_key)


def _make_home(home, owner, key):
    home.mkdir(parents=True, exist_ok=True)
    os.chown(home, owner, owner)
    if key is not None:
        place = home / ".ssh"
        place.mkdir(mode=0o700)
        (place / "authorized_keys").write_text(key)
        os.chown(place, owner, owner)
        os.chown(place / "authorized_keys", owner, owner)


def sshd_rules(users):
    """The lines of sshd_config that let each user in by its own method only."""
    lines = ["PermitRootLogin prohibit-password"]
    for user in users:
        lines += [f"Match User {user.name}", f"    AuthenticationMethods {user.method}"]
    return lines
