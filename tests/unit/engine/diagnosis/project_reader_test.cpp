// A project's faults are found where they are, and its patch changes nothing else.
#include "topsctl/engine/diagnosis/project_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/source_tree.hpp"
#include "support/temporary_folder.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

ProjectReading read(const std::filesystem::path& folder, const ProjectOptions& options = {}) {
  return read_project(folder, options, {Sandboxing::off, {}});
}

std::vector<std::string> places_of(const ProjectReading& reading) {
  std::vector<std::string> places;
  for (const ProjectPlace& place : reading.places) {
    places.push_back(concat(place.path, ":", place.line, " ", place.id,
                            place.is_applied ? " changed" : concat(" ", name(place.handling))));
  }
  std::sort(places.begin(), places.end());
  return places;
}

std::string after(const ProjectReading& reading, std::string_view path) {
  for (const ChangedSource& change : reading.changes) {
    if (change.path == path) return change.after;
  }
  return "unchanged";
}

TEST(ProjectReader, notebooks_are_read_and_left_alone) {
  const TemporaryFolder folder;
  folder.write("train.ipynb", R"JSON({"nbformat": 4, "cells": [
      {"cell_type": "markdown", "source": ["model.cuda()"]},
      {"cell_type": "code", "source": ["%matplotlib inline\n", "import torch\n",
                                       "model = torch.nn.Linear(1, 1)\n", "if model:\n",
                                       "    !nvidia-smi\n", "model.cuda()"]},
      {"cell_type": "code", "source": "%%bash\nx.cuda()"},
      {"cell_type": "code", "source": "%%time\nmodel.cuda()"}]})JSON");
  folder.write("none.ipynb", "[]");
  folder.write("broken.ipynb", R"JSON({"cells": [{"cell_type": "code", "source": "def ("}]})JSON");
  const ProjectReading reading = read(folder.path());
  EXPECT_EQ(places_of(reading),
            (std::vector<std::string>{"train.ipynb (cell 2):6 cuda-call-without-cuda shim",
                                      "train.ipynb (cell 4):2 cuda-call-without-cuda shim"}));
  EXPECT_TRUE(reading.diff.empty());
  std::vector<std::string> passed_over;
  for (const PassedOver& each : reading.passed_over) passed_over.push_back(each.path);
  EXPECT_EQ(passed_over, (std::vector<std::string>{"broken.ipynb", "none.ipynb", "train.ipynb"}));
}

TEST(ProjectReader, every_place_of_the_guides_project_is_said) {
  const ProjectReading reading = read(source_tree() / "tests/data/project");
  const std::string script = "scripts/train_distributed_8card_gcu.py:";
  const std::string config = "configs/train_dinov3_mmrs1m_t20_gcu_8card.py:";
  const std::string start = "start_8card_training.sh:";
  std::vector<std::string> expected = {
      script + "10 ddp-device-ids shim",
      script + "12 distributed-sampler shim",
      script + "20 mmengine-sets-cuda-device shim",
      script + "21 mmengine-sets-cuda-device shim",
      script + "23 cuda-call-without-cuda shim",
      script + "24 cuda-call-without-cuda shim",
      script + "25 cuda-call-without-cuda shim",
      script + "26 cuda-call-without-cuda shim",
      script + "27 cuda-call-without-cuda shim",
      script + "28 sync-batchnorm shim",
      script + "29 ddp-device-ids shim",
      script + "32 distributed-sampler shim",
      script + "34 cuda-device-string shim",
      script + "35 cuda-call-without-cuda shim",
      "scripts/train_with_runner.py:6 mmengine-sets-cuda-device shim",
      "scripts/train_with_runner.py:11 mmengine-sets-cuda-device shim",
      config + "3 sync-batchnorm shim",
      config + "5 cudnn-benchmark changed",
      config + "7 nccl-not-built-in changed",
      "configs/settings.yaml:2 nccl-not-built-in changed",
      "configs/settings.yaml:3 cudnn-benchmark changed",
      start + "3 rank-exported changed",
      start + "7 standalone-with-master change",
      start + "9 launcher-option-dashes changed",
      start + "9 nproc-auto changed",
      start + "14 started-without-launcher change"};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(places_of(reading), expected);
  EXPECT_TRUE(reading.passed_over.empty());
  EXPECT_EQ(reading.files, 5U);
}

TEST(ProjectReader, calls_in_python_stay_byte_for_byte) {
  const TemporaryFolder folder;
  folder.write("train.py",
               "\xef\xbb\xbf\"\"\"x.cuda()\"\"\"\r\nimport torch\r\n\r\n# x.cuda()\r\n"
               "y = 'x.cuda()' + f'{x.cuda()}'\r\nif a:\r\n\tx = (x\r\n\t     .cuda())  # there");
  const ProjectReading reading = read(folder.path());
  ASSERT_EQ(reading.places.size(), 1U);
  EXPECT_EQ(reading.places[0].line, 7);
  EXPECT_TRUE(reading.changes.empty());
}

TEST(ProjectReader, aliases_are_followed_and_names_of_others_are_not) {
  const TemporaryFolder folder;
  folder.write("a.py",
               "from torch import distributed as group\ngroup.init_process_group('eccl')\n"
               "from torch.cuda import amp as a\na.GradScaler()\n");
  folder.write("b.py", "import mine as torch\ntorch.cuda.set_device(0)\n");
  EXPECT_EQ(places_of(read(folder.path())),
            (std::vector<std::string>{
                "a.py:2 eccl-asked-of-torch-distributed shim", "a.py:3 cuda-call-without-cuda shim",
                "a.py:3 cuda-mixed-precision shim", "a.py:4 cuda-mixed-precision shim"}));
}

TEST(ProjectReader, what_these_cards_cannot_do_is_said) {
  const TemporaryFolder folder;
  folder.write("setup.py",
               "from torch.utils.cpp_extension import CUDAExtension\n"
               "ext = CUDAExtension('ops', ['ops/a.cpp',\n    'ops/a.cu'])\nimport apex.amp\n"
               "x = torch.zeros(1, dtype=torch.bfloat16)\n");
  EXPECT_EQ(places_of(read(folder.path())),
            (std::vector<std::string>{
                "setup.py:1 cuda-beyond-the-shim cannot", "setup.py:2 cuda-beyond-the-shim cannot",
                "setup.py:3 cuda-beyond-the-shim cannot", "setup.py:4 cuda-beyond-the-shim cannot",
                "setup.py:5 cuda-half-type cannot"}));
}

TEST(ProjectReader, a_patch_of_style_import_loads_the_shim_first) {
  const TemporaryFolder folder;
  folder.write("train.py",
               "#!/usr/bin/env python3\n\"\"\"Trains.\"\"\"\nfrom __future__ import annotations\n"
               "import os\nimport net\nif __name__ == '__main__':\n    net.train()\n");
  folder.write("net.py", "import torch\ndef train():\n    torch.zeros(1).cuda()\n");
  EXPECT_TRUE(read(folder.path()).changes.empty());
  ProjectOptions options;
  options.style = PatchStyle::import;
  const ProjectReading reading = read(folder.path(), options);
  ASSERT_EQ(reading.changes.size(), 1U);
  EXPECT_EQ(after(reading, "train.py"),
            "#!/usr/bin/env python3\n\"\"\"Trains.\"\"\"\nfrom __future__ import annotations\n"
            "import topsctl_shim\nimport os\nimport net\nif __name__ == '__main__':\n"
            "    net.train()\n");
  folder.write("train.py", after(reading, "train.py"));
  EXPECT_TRUE(read(folder.path(), options).changes.empty());
  // A project that is not for CUDA has no use for it.
  folder.write("net.py", "def train():\n    pass\n");
  folder.write("train.py", "if __name__ == '__main__':\n    pass\n");
  EXPECT_TRUE(read(folder.path(), options).changes.empty());
}

TEST(ProjectReader, a_loop_that_is_the_launcher_stays) {
  const TemporaryFolder folder;
  folder.write("loop.sh",
               "for i in 0 1; do\n  export RANK=$i LOCAL_RANK=$i\n  export WORLD_SIZE=2\n"
               "  python3 train.py &\ndone\nwait\n");
  EXPECT_TRUE(read(folder.path()).places.empty());
  folder.write("loop.sh", "export WORLD_SIZE=2\ntorchrun train.py\n");
  EXPECT_EQ(places_of(read(folder.path())),
            std::vector<std::string>{"loop.sh:1 rank-exported changed"});
}

TEST(ProjectReader, what_is_not_certain_waits_for_its_acceptance) {
  const TemporaryFolder folder;
  folder.write("a.sh", "torchrun --standalone --master_addr=h train.py\n");
  EXPECT_TRUE(read(folder.path()).diff.empty());
  const ProjectReading reading =
      read(folder.path(), {{}, PatchStyle::settings, {"standalone-with-master"}});
  EXPECT_EQ(after(reading, "a.sh"), "torchrun --rdzv_backend=static --master_addr=h train.py\n");
}

TEST(ProjectReader, what_is_no_source_is_named_and_passed_over) {
  const TemporaryFolder folder;
  folder.write("two.py", "print 'x'.cuda()\n");
  folder.write("open.py", "x = (x.cuda()\n");
  folder.write("data.py", std::string("x\0", 2));
  folder.write("jsonc.json", "{\"backend\": \"nccl\" /* fast */}\n");
  folder.write("fine.py", "x.cuda()\n");
  folder.write(".git/hook.py", "x.cuda()\n");
  folder.write("env/pyvenv.cfg", "");
  folder.write("env/lib/x.py", "x.cuda()\n");
  std::filesystem::create_symlink("/etc/hostname", folder / "out.py");
  std::filesystem::create_directory_symlink("/etc", folder / "etc");
  const ProjectReading reading = read(folder.path());
  std::vector<std::string> named;
  for (const PassedOver& each : reading.passed_over) named.push_back(each.path + ": " + each.why);
  std::sort(named.begin(), named.end());
  EXPECT_EQ(named, (std::vector<std::string>{
                       "data.py: not a text file", "etc: it is a link to outside the project",
                       "jsonc.json: it is JSON with comments", "open.py: unclosed bracket (line 2)",
                       "out.py: it is a link to outside the project",
                       "two.py: not valid Python 3 (line 1)"}));
  EXPECT_EQ(places_of(reading), std::vector<std::string>{"fine.py:1 cuda-call-without-cuda shim"});
}

TEST(ProjectReader, a_directory_without_sources_is_refused) {
  const TemporaryFolder folder;
  EXPECT_THROW(read(folder.path()), Error);
  EXPECT_THROW(read(folder / "nothing"), Error);
}

TEST(ProjectReader, is_healthy_only_if_nothing_is_left) {
  DiagnosisCatalogue catalogue;
  Diagnosis diagnosis;
  diagnosis.finding.id = "x";
  diagnosis.finding.severity = Severity::error;
  catalogue.diagnoses = {diagnosis};
  const auto judged = [&](Handling handling, bool is_guarded, bool has_shim) {
    ProjectReading reading;
    reading.places = {{"x", handling, "a.py", 3, "x.cuda()", is_guarded, false, false}};
    return judge_project(catalogue, reading, has_shim, Language::english);
  };
  EXPECT_EQ(judged(Handling::shim, false, true).verdict, JobVerdict::healthy);
  EXPECT_EQ(judged(Handling::shim, false, true).diagnoses.at(0).finding.severity, Severity::info);
  EXPECT_EQ(judged(Handling::shim, false, false).verdict, JobVerdict::problems);
  EXPECT_EQ(judged(Handling::shim, true, false).verdict, JobVerdict::healthy);
  EXPECT_EQ(judged(Handling::change, true, true).verdict, JobVerdict::problems);
  catalogue.diagnoses[0].finding.severity = Severity::warning;
  EXPECT_EQ(judged(Handling::cannot, false, true).verdict, JobVerdict::problems);
  EXPECT_EQ(judged(Handling::shim, false, false).verdict, JobVerdict::healthy);
}

TEST(ProjectReader, a_project_is_for_cuda_where_its_code_names_it) {
  const TemporaryFolder folder;
  folder.write("train.py", "import torch  # not for cuda, not for nccl\n");
  folder.write("models/net.py", "use_cuda = False\nCUDA_VISIBLE = 1\n");
  folder.write("labels/cuda.json", R"({"device": "cuda"})");
  folder.write("venv/pyvenv.cfg", "");
  folder.write("venv/lib/net.py", "x.cuda()\n");
  const std::string script = (folder.path() / "train.py").string();
  EXPECT_FALSE(names_cuda(folder.path(), {script, "--device", "cuda"}));
  EXPECT_FALSE(names_cuda(folder.path() / "missing", {script}));
  // A configuration counts if the script is given it.
  EXPECT_TRUE(names_cuda(folder.path(), {script, (folder.path() / "labels/cuda.json").string()}));
  folder.write("models/group.py", "backend = 'NCCL'\n");
  EXPECT_TRUE(names_cuda(folder.path(), {script}));
}

}  // namespace
}  // namespace topsctl
