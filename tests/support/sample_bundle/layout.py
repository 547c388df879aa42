# The bundle directory: which file of which kind and size lies in which folder.

import json

from . import torch_gcu_wheels
from .debs import DISCLAIMER
from .files import double_text, settle, write, write_filler
from .native import Compiler
from .options import ARCHIVED
from .packages import Packages
from .wheels import plain_wheel

# Folder, file name, real size in bytes (as far as known), import name.
WHEELS = (
    ("distributed", "horovod-0.19.1.115.gcu-{0}-cp36-cp36m-linux_x86_64.whl", 754525, "horovod"),
    ("distributed", "horovod-0.19.1.115.gcu-{0}-cp38-cp38-linux_x86_64.whl", 754524, "horovod"),
    ("framework", "tensorflow-1.15.0rc2.gcu-2.2.1.255e6cc-cp36-cp36m-linux_x86_64.whl", 124600000, "tensorflow"),
    ("framework", "tensorflow-1.15.0rc2.gcu-2.2.1.255e6cc-cp38-cp38-linux_x86_64.whl", 124600000, "tensorflow"),
    ("framework", "paddlepaddle_gcu-2.5.1.1437781-2.4.1-cp38-cp38-linux_x86_64.whl", 125626446, "paddle"),
    ("framework", "paddle_custom_gcu-2.5.1.7e367fc-2.4.1-cp38-cp38-linux_x86_64.whl", 4397672, "paddle_custom_gcu"),
    ("ai_development_toolkit/distributed", "ptex-1.3.20-py3-none-any.whl", 132118, "ptex"),
    ("ai_development_toolkit/distributed/archived_versions", "ptex-1.3.20-py3-none-any.whl", 132118, "ptex"),
    ("ai_development_toolkit/distributed", "deepspeed-0.9.2+gcu.49-py3-none-any.whl", 750000, "deepspeed"),
    ("ai_development_toolkit/distributed", "megatron_deepspeed-23.8+gcu.25-py3-none-any.whl", 400000, "megatron"),
    ("ai_development_toolkit/distributed/archived_versions",
     "megatron_deepspeed-23.5+gcu.36-py3-none-any.whl", 400000, "megatron"),
    ("ai_development_toolkit/distributed", "collie_lm-1.0.6.dev0+gcu.38-py3-none-any.whl", 150000, "collie"),
    ("ai_development_toolkit/huggingface-gcu", "accelerate-0.22.0+gcu.5-py3-none-any.whl", 250000, "accelerate"),
    ("ai_development_toolkit/huggingface-gcu", "diffusers-0.21.1+gcu.3-py3-none-any.whl", 1500000, "diffusers"),
    ("ai_development_toolkit/huggingface-gcu", "peft-0.5.0+gcu.2-py3-none-any.whl", 85000, "peft"),
    ("ai_development_toolkit/huggingface-gcu", "transformers-4.32.0+gcu.7-py3-none-any.whl", 7500000, "transformers"),
    ("ai_development_toolkit/huggingface-gcu/archived_versions",
     "peft-0.4.0+gcu.1-py3-none-any.whl", 73000, "peft"),
    ("ai_development_toolkit/huggingface-gcu/archived_versions",
     "transformers-4.30.2+gcu.5-py3-none-any.whl", 7200000, "transformers"),
)

# Programs and scripts of the vendor: each double refuses to do anything.
SCRIPTS = (
    ".startup.sh", ".installer", "topsplatform/TopsPlatform_0.9.0.20240102-9198a3_deb_amd64.run",
    "models_tool/get_models.sh", "ai_development_toolkit/distributed/llm_scripts_1.0.40/install_for_llm_scripts.sh",
    "ai_development_toolkit/huggingface-gcu/sd_scripts_1.1.28/install_for_sd_scripts.sh",
)

CLOUD = ("gcu-operator_2.2.6", "gcu-exporter_1.4.9", "go-eflib_1.4.13", "gcushare-scheduler-plugin_1.1.5",
         "gcushare-device-plugin_1.1.5", "k8s-device-plugin_k8s-v1.9+_1.5.0", "gcu-upgrade-manager_1.1.2",
         "kubeone_1.1.2")

COMPONENTS = ("topsplatform", "topsfactor", "tops-sdk", "tops-eccl", "torch-gcu", "horovod_115",
              "ai_development_toolkit", "tops-models", "tensorflow", "paddlepaddle-gcu", "paddle-custom-gcu")


def build(options, bundle, work):
    """Make the directory `bundle`; `work` is scratch space on the same file system."""
    bundle.mkdir(parents=True)
    compiler = Compiler(work / "native")
    needed(options, bundle, work, compiler)
    if not options.only_needed:
        extra(options, bundle, work, compiler)
    settle(bundle, options.generation.epoch)


def needed(options, bundle, work, compiler):
    """The three debs and the torch_gcu wheels."""
    packages = Packages(options, compiler, work)
    version = options.generation.deb_version
    eccl = bundle / "distributed" / "{}_{}_amd64.deb".format(packages.eccl_name, version)
    packages.tops_eccl(eccl)  # built in any case: the wheels link to its library
    if options.has("missing-eccl"):
        eccl.unlink()
    packages.tops_sdk(bundle / "sdk" / "tops-sdk_{}_amd64.deb".format(version))
    factor = packages.factor_version
    packages.topsfactor(bundle / "sdk" / "topsfactor_{}_amd64.deb".format(factor))
    usual = {"3.6", "3.8"}
    if options.generation.is_i3x:
        usual = {"3.8", "3.10"}
        for name in ("topsaten", "topsgraph"):
            packages.of_i3x(name, bundle / "sdk" / "{}_{}_amd64.deb".format(name, version))
        setup_file(options, bundle)
    for minor in sorted(usual | set(options.pythons)):
        name = torch_gcu_wheels.file_name(minor, options.generation)
        torch_gcu_wheels.build(options, options.generation, minor, compiler, bundle / "framework" / name)


def extra(options, bundle, work, compiler):
    """Everything else of a real bundle, by name and size."""
    generation = options.generation
    previous = ARCHIVED[generation.previous]
    torch_gcu_wheels.build(options, previous, "3.8", compiler, bundle / "framework/archived_versions"
                           / torch_gcu_wheels.file_name("3.8", previous), faulty=False)
    for folder, pattern, size, import_name in WHEELS:
        name = pattern.format(generation.version)
        plain_wheel(name, import_name, generation.epoch).write(bundle / folder / name, options.scaled(size))
    toolkit = bundle / "deployment/topscloud/container-toolkit_1.3.10"
    Packages(options, compiler, work).container_toolkit(
        toolkit / "enflame-container-toolkit_1.3.10_amd64.deb")
    rpm = toolkit / "enflame-container-toolkit-1.3.10-1.x86_64.rpm"
    write_filler(rpm, rpm.name, max(512, options.scaled(2584724)))
    for name in CLOUD:
        write(bundle / "deployment/topscloud" / name / "README.md", "# {}\n\n{}\n".format(name, DISCLAIMER))
    for path in SCRIPTS:
        write(bundle / path, double_text("texts/refuse.sh", what=path.split("/")[-1]), 0o755)
    for release in ("18.04", "20.04"):
        write(bundle / "dockerfile/ubuntu_amd64_{}_dockerfile/Dockerfile".format(release),
              double_text("texts/Dockerfile", release=release))
    write(bundle / "notices/NOTICE.txt", DISCLAIMER + "\n")
    write(bundle / "EULA.txt", double_text("texts/EULA.txt"))
    setup_file(options, bundle)


def setup_file(options, bundle):
    """What the vendor's installer reads."""
    write(bundle / ".setup_config.json", json.dumps(
        {"note": DISCLAIMER, "version": options.generation.version, "components": COMPONENTS}, indent=2) + "\n")
