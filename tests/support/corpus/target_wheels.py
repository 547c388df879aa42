"""Wheels that are sound in themselves and do, or do not, fit the interpreters of a certain machine."""

from .case import case
from .wheels import Wheel

FOCAL = "ubuntu-20.04"


def fits(name, build_wheel, ids=(), exit=0, against=FOCAL, **more):
    @case(name, ids, exit=exit, against=against, **more)
    def build(shop):
        build_wheel(shop).write(shop.folder)


def native(shop, minor="38", needs=(), platform="linux_x86_64"):
    wheel = Wheel("torch_gcu", "1.10.0+2.5.136", f"cp{minor}-cp{minor}-{platform}")
    return wheel.file("torch_gcu/libgcu.so", shop.native.library("libgcu.so", needs))


fits("fits-wheel-pure", lambda shop: Wheel())
fits("fits-wheel-native", lambda shop: native(shop))
fits("fits-not-wheel-of-another-python", lambda shop: native(shop, "36"), ("no-interpreter-for-wheel",), 5)
fits("fits-not-wheel-without-python-3.8", lambda shop: native(shop, "38"), ("no-interpreter-for-wheel",), 5,
     against="debian-11")
fits("fits-not-wheel-of-another-machine", lambda shop: Wheel(tag="cp38-cp38-linux_aarch64"),
     ("architecture-differs",), 5, may=("no-interpreter-for-wheel",))
fits("fits-not-wheel-requires-python", lambda shop: Wheel(requires="Requires-Python: >=3.10\n"),
     ("no-interpreter-for-wheel",), 5)
fits("fits-not-wheel-manylinux-too-new", lambda shop: native(shop, platform="manylinux_2_35_x86_64"),
     ("no-interpreter-for-wheel|glibc-too-old",), 5)
fits("fits-wheel-manylinux", lambda shop: native(shop, platform="manylinux_2_17_x86_64.manylinux2014_x86_64"))
fits("fits-wheel-tag-trap-without-python-3.8", lambda shop: Wheel("torch_gcu", "1.10.0+2.5.136", "py3.8-none-any"),
     ("wheel-tag-trap", "no-interpreter-for-wheel"), 5, against="debian-11")
fits("fits-not-pip-24.1", lambda shop: Wheel("horovod", "0.19.1.115.gcu"),
     ("wheel-version-not-pep440", "pip-refuses-version"), 5, against="debian-12-pip-24.1")
fits("fits-old-pip-with-any-version", lambda shop: Wheel("horovod", "0.19.1.115.gcu"),
     ("wheel-version-not-pep440",), absent=("pip-refuses-version",))
fits("fits-without-pip", lambda shop: Wheel(), against="no-pip")
fits("fits-not-beside-old-torch", native, ("companion-version-differs",), against="old-torch", evidence=("torch 1.7.0",))
fits("fits-beside-its-torch", native, absent=("companion-version-differs",))
fits("fits-nobody-knows", lambda shop: Wheel(), ("interpreters-not-asked",), against="pythons-not-asked")
fits("fits-not-wheel-glibc", lambda shop: native(shop, needs=[("libc.so.6", "GLIBC_2.99")]), ("glibc-too-old",), 5)
fits("fits-not-wheel-library-missing", lambda shop: native(shop, needs=[("libtopsmissing.so.7", "")]),
     ("library-missing",), 5)
