#!/bin/sh
# Installs, upgrades or removes topsctl from its unpacked archive. What fails leaves the version before, or the new one.
#
# Each file is first copied beside its place (.topsctl-new.NAME) and then renamed into it; what was there is kept beside
# it (.topsctl-old.NAME) until all is done. The plan says what to put back: after an error at once, after a kill or a
# power cut at the next call. The program itself is replaced last, by one rename.
set -eu

usage='usage: ./install.sh [--prefix DIR] [--destdir DIR] [--replace] [--uninstall]
  installs topsctl, or upgrades the one that it installed before
  --prefix DIR   where to; default: /usr/local
  --destdir DIR  put everything below DIR, as for an image; paths in files stay as they are
  --replace      also replace files that install.sh has not installed
  --uninstall    remove what was installed; transactions in /var/lib/topsctl stay'

main() {
    action=install prefix=/usr/local destdir='' replace='' working='' directories=''
    while [ $# -gt 0 ]; do
        case $1 in
        --prefix | --destdir)
            [ $# -gt 1 ] || fail "$1 needs a directory" './install.sh --help' 2
            [ "$1" = --destdir ] || prefix=${2%/}
            [ "$1" = --prefix ] || destdir=${2%/}
            shift
            ;;
        --replace) replace=yes ;;
        --uninstall) action=uninstall ;;
        -h | --help) echo "$usage" && exit 0 ;;
        *) fail "unknown option '$1'" './install.sh --help' 2 ;;
        esac
        shift
    done
    check_places
    here=$(cd "$(dirname "$0")" && pwd)
    home=$destdir$prefix/share/topsctl
    manifest=$home/manifest plan=$home/.install-plan finished=$home/.install-finished
    trap 'ended $?' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    finish_earlier_run
    old_files=$(listed file "$manifest")
    "$action"
}

fail() {
    printf 'error: %s\nhint:  %s\n' "$1" "$2" >&2
    exit "${3:-1}"
}

check_places() {
    case $prefix in
    '' | /usr) fail "'${prefix:-/}' belongs to the package manager" 'install the Debian package, or choose another --prefix' 2 ;;
    *[!A-Za-z0-9/._+-]* | */../* | */.. | *//*) fail "unusable prefix '$prefix'" 'letters, digits and /._+- only, without ..' 2 ;;
    /*) ;;
    *) fail "the prefix '$prefix' is not absolute" 'give a path that begins with /' 2 ;;
    esac
    case $destdir in
    '' | /*) ;;
    *) destdir=$PWD/$destdir ;;
    esac
}

# --- the two actions

install() {
    [ -r "$here/files.sha256" ] || fail "'$here' is not an unpacked archive of topsctl" 'run install.sh in the directory of the archive'
    (cd "$here" && sha256sum --check --quiet files.sha256 >&2) || fail 'the archive is damaged' 'unpack it again; compare it with SHA256SUMS'
    version=$(cat "$here/VERSION")
    files=$(cd "$here" && find bin lib share -type f | sort && echo share/topsctl/install.sh)
    for file in $files; do
        is_free "$file" || fail "'$prefix/$file' is there already, and install.sh has not installed it" 'remove it, or use --replace'
    done
    directories=$(for file in $files; do missing_directories "$prefix/$file"; done | sort -u)
    make_plan "$(
        for directory in $directories; do echo "dir $directory"; done
        for file in $files share/topsctl/manifest; do
            if exists "$destdir$prefix/$file"; then echo "replace $file"; else echo "add $file"; fi
        done
        for file in $(superfluous); do echo "remove $file"; done
    )"
    for file in $files; do
        stage "$file"
    done
    {
        echo "version $version"
        for directory in $(listed dir "$manifest") $directories; do echo "dir $directory"; done | sort -u
        for file in $files; do echo "file $file"; done
    } >"$home/.topsctl-new.manifest"
    sync -f "$home" 2>/dev/null || sync
    for file in $(echo "$files" | grep -v '^bin/topsctl$') share/topsctl/manifest bin/topsctl; do
        at "$file"
        keep
        mv -f "$new" "$place"
    done
    for file in $(superfluous); do
        at "$file"
        mv -f "$place" "$old"
    done
    commit
    echo "installed topsctl $version to $prefix"
    recovery_at_boot
    [ -n "$old_files" ] || ! command -v fish >/dev/null ||
        echo "fish completes it where XDG_DATA_DIRS has $prefix/share; else: topsctl completion fish >/etc/fish/completions/topsctl.fish"
    echo "remove: sh $prefix/share/topsctl/install.sh --uninstall$([ "$prefix" = /usr/local ] || echo " --prefix $prefix")"
}

uninstall() {
    [ -r "$manifest" ] || fail "install.sh has not installed topsctl to '$destdir$prefix'" 'give the --prefix and --destdir of the install'
    files=''
    if has_systemd; then
        systemctl --quiet disable topsctl-recover.service || true
    fi
    make_plan "$(
        for directory in $(listed dir "$manifest"); do echo "rmdir $directory"; done
        for file in share/topsctl/manifest $(superfluous); do echo "remove $file"; done
    )"
    for file in share/topsctl/manifest $(superfluous); do
        at "$file"
        mv -f "$place" "$old"
    done
    commit
    if has_systemd; then
        systemctl daemon-reload || true
    fi
    echo "removed topsctl from $prefix"
    [ ! -d "$destdir/var/lib/topsctl/transactions" ] ||
        echo "kept: /var/lib/topsctl, without which no earlier install can be rolled back"
}

has_systemd() {
    [ -z "$destdir" ] && [ "$(id -u)" -eq 0 ] && [ -d /run/systemd/system ]
}

# On the first install only: an administrator may have disabled it since.
recovery_at_boot() {
    unit=$prefix/lib/systemd/system/topsctl-recover.service
    if has_systemd; then
        systemctl daemon-reload || true
        [ -n "$old_files" ] || systemctl --quiet enable "$unit" || true
    elif [ -z "$old_files" ]; then
        echo "to recover at boot what was cut off: systemctl enable $unit"
    fi
}

# --- files

exists() { [ -e "$1" ] || [ -L "$1" ]; }

# listed WORD FILE: what its lines that begin with this word name; nothing where there is no such file.
listed() { [ ! -r "$2" ] || sed -n "s/^$1 //p" "$2"; }

# at FILE: sets $place, where it is installed, and $new and $old, where its next and its former content lie. No program is
# started for it: there are hundreds of files.
at() {
    place=$destdir$prefix/$1
    new=${place%/*}/.topsctl-new.${place##*/}
    old=${place%/*}/.topsctl-old.${place##*/}
}

is_free() {
    exists "$destdir$prefix/$1" || return 0
    [ ! -d "$destdir$prefix/$1" ] || return 1
    [ -n "$replace" ] || echo "$old_files" | grep -Fxq "$1"
}

missing_directories() {
    directory=${1%/*}
    while [ -n "$directory" ] && [ ! -d "$destdir$directory" ]; do
        echo "$directory"
        directory=${directory%/*}
    done
}

# What is installed and not among the files to be; the program last.
superfluous() {
    { echo "$files" && echo "$files" && echo "$old_files"; } | sort -r | uniq -u | while read -r file; do
        ! exists "$destdir$prefix/$file" || echo "$file"
    done
}

# stage FILE: the archive has the paths of /usr/local; two files say where the program is.
stage() {
    at "$1"
    source=$here/$1
    [ "$1" != share/topsctl/install.sh ] || source=$here/install.sh
    { mkdir -p "${place%/*}" && cp -p "$source" "$new"; } || fail "cannot write '$new'" 'see the line above; is there room?'
    case $1 in
    lib/systemd/system/* | share/topsctl/slurm/*) sed "s|/usr/local/|$prefix/|g" "$source" >"$new" ;;
    *) cmp -s "$source" "$new" || fail "'$new' is not what the archive has" 'is the disk full or failing?' ;;
    esac
}

# Gives what is at $place a second name, so that the first is never missing.
keep() {
    exists "$place" || return 0
    ln "$place" "$old" 2>/dev/null || { cp -pP "$place" "$old.part" && mv -f "$old.part" "$old"; }
}

# --- what happens whole or not at all

make_plan() {
    working=yes # from here on an end before the commit puts everything back
    { mkdir -p "$home" && echo "$1" >"$plan.new"; } || fail "cannot write to '$home'" 'run it as root, or choose a --prefix of yours'
    mv -f "$plan.new" "$plan"
}

commit() {
    mv -f "$plan" "$finished"
    working=''
    clean
}

# Removes what a finished run kept, and the directories of an uninstall.
clean() {
    set --
    for file in $(listed replace "$finished") $(listed remove "$finished"); do
        at "$file"
        set -- "$@" "$old"
    done
    rm -f "$@"
    remove_directories rmdir "$finished" "$finished"
}

# remove_directories WORD FILE LAST: those that are empty but for LAST, which goes before the one that it is in.
remove_directories() {
    gone=$(listed "$1" "$2" | sort -r)
    rm -f "$3"
    for directory in $gone; do
        rmdir "$destdir$directory" 2>/dev/null || true
    done
}

put_back() {
    set --
    for file in $(listed add "$plan"); do
        at "$file"
        set -- "$@" "$place" "$new"
    done
    for file in $(listed replace "$plan") $(listed remove "$plan"); do
        at "$file"
        if exists "$old"; then
            rm -f "$place" # mv refuses where both are names of one file
            mv -f "$old" "$place"
        fi
        set -- "$@" "$new" "$old.part"
    done
    rm -f "$@"
    # Without a plan it went wrong while the first directories were made.
    [ -e "$plan" ] || for directory in $directories; do echo "dir $directory"; done >"$plan" 2>/dev/null
    rm -f "$plan.new"
    remove_directories dir "$plan" "$plan"
}

finish_earlier_run() {
    if [ -e "$finished" ]; then
        clean
    elif [ -e "$plan" ]; then
        echo 'an earlier run was cut off: its changes are undone first' >&2
        put_back
    elif [ -e "$plan.new" ]; then # perhaps not whole; nothing but directories was made
        echo 'an earlier run was cut off: its directories are removed first' >&2
        remove_directories dir "$plan.new" "$plan.new"
    fi
}

# ended STATUS: also after a signal, and where a command failed.
ended() {
    trap '' HUP INT TERM
    [ -z "$working" ] || {
        set +e
        put_back
        echo 'note:  nothing was changed' >&2
    }
    exit "$1"
}

main "$@"
