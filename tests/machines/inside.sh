#!/bin/sh
# The first process of a machine without a service manager: an install that SIGTERM ends, one that goes through, its rollback.
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs run /run
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
say() { echo "@$*"; }
look() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /var/lib/topsctl -o -path /var/log -o -path /tmp \) -prune -o \
        \( -type d -printf '%p d %m %u %g\n' -o -printf '%p %y %m %u %g %s %T@ %l\n' \) | grep -v '/var/lib/dpkg/\(lock\|triggers/Lock\)' | sort
}
tar -C /srv -xf /bundle.tar
echo before >/etc/hosts.allow
look >/run/before
say kernel "$(uname -r)"

: >/run/wait
/topsctl install /srv/bundle --json >/run/ended &
n=0
while [ ! -e /run/reached ] && [ $n -lt 600 ]; do n=$((n + 1)); sleep 0.2; done
grep -q added /etc/hosts.allow && say changed
kill -TERM $!
wait $!
say ended $? "$(grep -m 1 '"outcome"' /run/ended)"
look | diff /run/before - && say same

rm -f /run/wait
/topsctl install /srv/bundle --json >/run/installed
say installed $? "$(grep -m 1 '"known": "observed"' /run/installed)"
grep -q added /etc/hosts.allow && say changed
/topsctl rollback --json >/run/undone
say undone $? "$(grep -m 1 '"outcome"' /run/undone)"
look | diff /run/before - && say same
sync
echo o >/proc/sysrq-trigger
sleep 60
