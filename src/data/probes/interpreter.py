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


def without_shim():
    # Newer setuptools put their own distutils into the place of the interpreter's; pip takes that away, too.
    try:
        import _distutils_hack

        _distutils_hack.remove_shim()
    except Exception:
        pass


def install_scheme(in_venv):
    # What pip takes: distutils' paths up to Python 3.9, sysconfig's after it; headers of a virtual environment are
    # its own.
    if sys.version_info >= (3, 10):
        scheme = {name: sysconfig.get_path(name) for name in ("purelib", "platlib", "scripts", "data")}
        scheme["headers"] = sysconfig.get_path("include")
    else:
        from distutils.command.install import install
        from distutils.dist import Distribution

        command = install(Distribution({"name": "x"}))
        command.finalize_options()
        scheme = {name: getattr(command, "install_" + name) for name in ("purelib", "platlib", "scripts", "data")}
        scheme["headers"] = os.path.dirname(command.install_headers)
    if in_venv:
        scheme["headers"] = os.path.join(sys.prefix, "include", "site", "python%d.%d" % sys.version_info[:2])
    scheme["interpreter"] = sys.executable
    return scheme


def install_scheme_if_known(in_venv):
    try:
        return install_scheme(in_venv)
    except Exception:
        return None


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

    without_shim()
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
        "scheme": install_scheme_if_known(in_venv),
        "externally_managed": (not in_venv) and os.path.exists(os.path.join(stdlib, "EXTERNALLY-MANAGED")),
        "in_virtual_environment": in_venv,
    }
    with os.fdopen(3, "w") as out:
        json.dump(answer, out)


main()
