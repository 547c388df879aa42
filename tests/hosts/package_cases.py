"""Upgrades in which dpkg itself and scripts of other packages do much, after the pattern of dpkg's functional tests; all
packages are doubles."""

from hosts.hostile_scripts import Case

# On the host before each case; the package of the case is its next version.
OLD = dict(name="tops-eccl", version="1.0", fields="", script="update-alternatives --install /usr/bin/xtool xtool /usr/share/m/tool 5",
           files=("/etc/m/rm.conf", "/etc/m/rm-edited.conf", "/etc/m/mv.conf", "/etc/m/mv-edited.conf", "/etc/m/kept.conf", "/etc/m/edited.conf",
                  "/etc/m/deleted.conf", "/usr/share/m/d2s/file", "/usr/share/m/tool", "/usr/share/m/becomes-dir", "/usr/share/m/was-dir/file"),
           scripts={"conffiles": "\n".join(f"/etc/m/{name}.conf" for name in ("rm", "rm-edited", "mv", "mv-edited", "kept", "edited", "deleted")),
                    "prerm": "update-alternatives --remove xtool /usr/share/m/tool"})
LOCAL = """echo mine >>/etc/m/rm-edited.conf; echo mine >>/etc/m/mv-edited.conf; echo mine >>/etc/m/edited.conf; rm /etc/m/deleted.conf
echo bak >/etc/m/kept.conf.dpkg-bak; echo old >/etc/m/edited.conf.dpkg-old; ln -s real /usr/share/m/s2d; mkdir /usr/share/m/real; echo r >/usr/share/m/real/r"""


def hidden(place):
    """A write of which no text tells."""
    return f"python3 - <<'END'\nimport os\nopen('/sr' + 'v/{place}', 'a').write('x')\nos.chmod('/et' + 'c/issue', 0o600)\nEND"


def helper(words):
    line = f'dpkg-maintscript-helper {words} 2.0 tops-eccl -- "$@"'
    return {"preinst": line, "postinst": line, "postrm": line}


def gone(number, **more):
    """A package all of whose files another one replaces."""
    return {"name": f"gone-{number}", "version": "1", "fields": "", "script": "", "files": (f"/usr/lib/g{number}/x",), **more}


def taking(number, name, before="", **more):
    return Case(name, more.pop("script", ":"), before, fields=f"Replaces: gone-{number}\n", files=(f"/usr/lib/g{number}/x",),
                debs=(more.pop("deb", None) or gone(number),), **more)


def triggered(number, script, fields="", **more):
    """A package whose postinst is called by a trigger."""
    return {"name": f"trig-{number}", "version": "1", "fields": fields, "script": f'if [ "$1" = triggered ]; then\n{script}\nfi', "files": (),
            "scripts": {"triggers": f"interest{more.pop('kind', '')} {more.pop('interest', f'/usr/lib/t{number}')}\n"}}


PACKAGE_CASES = (
    taking(1, "a package disappears"),
    taking(2, "a package disappears, its script writes elsewhere", deb=gone(2, scripts={"postrm": hidden("postrm-2")})),
    taking(3, "a package disappears whose file is diverted", before="dpkg-divert --local --rename --divert /usr/lib/g3/x.distrib --add /usr/lib/g3/x"),
    taking(4, "a package disappears whose file another one diverts", before="dpkg-divert --package other --rename --divert /usr/lib/g4/y --add /usr/lib/g4/x; echo o >/usr/lib/g4/x"),
    taking(5, "a package disappears with its diversion", deb=gone(5, scripts={
        "preinst": "dpkg-divert --package gone-5 --rename --divert /etc/issue.net.g5 --add /etc/issue.net",
        "postrm": "dpkg-divert --package gone-5 --rename --remove /etc/issue.net"})),
    taking(6, "a package disappears, and a list of its own goes", deb=gone(6, script="echo a >/var/lib/of-gone-6", scripts={
        "postrm": "rm -f /var/lib/of-gone-6; mkdir -p /srv/said/$1"})),
    Case("a package is taken away, its script writes elsewhere", ":", fields="Conflicts: away-7\nReplaces: away-7\n", debs=(
        {"name": "away-7", "version": "1", "fields": "", "script": "", "files": ("/etc/away-7.conf", "/usr/lib/away-7/x"),
         "scripts": {"conffiles": "/etc/away-7.conf", "prerm": hidden("prerm-7"), "postrm": "rm -rf /usr/lib/away-7 /etc/debian_version"}},),
        before="echo local >/usr/lib/away-7/local"),
    Case("a trigger for a file of it", ":", files=("/usr/lib/t8/file",), debs=(triggered(8, hidden("trigger-8")),)),
    Case("a trigger that its script activates", "dpkg-trigger named-9", debs=(triggered(9, hidden("trigger-9"), interest="named-9"),)),
    Case("a trigger that nobody waits for", ":", files=("/usr/lib/t10/file",), debs=(
        triggered(10, "rm -rf /usr/share/doc/base-files; mv /etc/issue /etc/issue.triggered", kind="-noawait"),)),
    Case("a trigger whose package fails", ":", files=("/usr/lib/t11/file",), debs=(triggered(11, f"{hidden('trigger-11')}\nexit 3"),), fails=True),
    Case("a configuration file given up", ":", scripts=helper("rm_conffile /etc/m/rm.conf")),
    Case("a configuration file given up that was edited", ":", scripts=helper("rm_conffile /etc/m/rm-edited.conf")),
    Case("a configuration file renamed", ":", scripts={**helper("mv_conffile /etc/m/mv.conf /etc/m/moved.conf"), "conffiles": "/etc/m/moved.conf"}, files=("/etc/m/moved.conf",)),
    Case("a configuration file renamed that was edited", ":", scripts={**helper("mv_conffile /etc/m/mv-edited.conf /etc/m/moved2.conf"), "conffiles": "/etc/m/moved2.conf"},
         files=("/etc/m/moved2.conf",)),
    Case("configuration files that were edited and deleted", ":", files=("/etc/m/kept.conf", "/etc/m/edited.conf", "/etc/m/deleted.conf"),
         scripts={"conffiles": "/etc/m/kept.conf\n/etc/m/edited.conf\n/etc/m/deleted.conf"}),
    Case("a link becomes a directory", ":", files=("/usr/share/m/s2d/file",), scripts=helper("symlink_to_dir /usr/share/m/s2d real")),
    Case("a directory becomes a link", ":", scripts=helper("dir_to_symlink /usr/share/m/d2s real")),
    Case("a file becomes a directory, and the other way round", ":", files=("/usr/share/m/becomes-dir/file", "/usr/share/m/was-dir")),
    Case("the rights of another package's file", "dpkg-statoverride --update --add root daemon 0640 /etc/issue; " + hidden("override"), before=":"),
    Case("a script of the old version that fails once", ":", files=("/usr/share/m/tool",), scripts={"prerm": "exit 0", "preinst": hidden("preinst-21")}),
)
