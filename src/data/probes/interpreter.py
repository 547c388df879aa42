# Says what a Python interpreter is and where its packages go, as JSON on descriptor 3.
import json
import os
import sys
import sysconfig


def paths(name):
    found = []
    schemes = [None]
    if hasattr(sysconfig, "get_scheme_names"):
        schemes += [s for s in ("posix_local", "deb_system", "unix_local") if s in sysconfig.get_scheme_names()]
    for scheme in schemes:
        try:
            found.append(sysconfig.get_path(name, scheme) if scheme else sysconfig.get_path(name))
        except Exception:
            pass
    return found


def installer_paths():
    # Where Debian's distutils, and so an older pip, really installs: below /usr/local for the system's interpreter.
    try:
        from distutils.command.install import install
        from distutils.dist import Distribution

        command = install(Distribution())
        command.finalize_options()
        return [command.install_purelib, command.install_platlib], [command.install_scripts]
    except Exception:
        return [], []


def pip_version():
    try:
        import pip

        return pip.__version__
    except Exception:
        return ""


def unique(items):
    out = []
    for item in items:
        if item and item not in out:
            out.append(item)
    return out


def main():
    import site

    libraries, scripts = installer_paths()
    in_venv = sys.prefix != getattr(sys, "base_prefix", sys.prefix)
    site_directories = libraries + paths("purelib") + paths("platlib")
    if hasattr(site, "getsitepackages"):
        site_directories += site.getsitepackages()
    scripts += paths("scripts")
    if not in_venv:
        scripts.append("/usr/local/bin")
    stdlib = sysconfig.get_path("stdlib")
    answer = {
        "executable": sys.executable,
        "version": "%d.%d.%d" % sys.version_info[:3],
        "minor": "%d.%d" % sys.version_info[:2],
        "cache_tag": getattr(sys.implementation, "cache_tag", None) or "",
        "pip_version": pip_version(),
        "site_directories": unique(site_directories),
        "script_directories": unique(scripts),
        "externally_managed": (not in_venv) and os.path.exists(os.path.join(stdlib, "EXTERNALLY-MANAGED")),
        "in_virtual_environment": in_venv,
    }
    with os.fdopen(3, "w") as out:
        json.dump(answer, out)


main()
