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
                            place.is_guarded   ? " guarded"
                            : place.is_applied ? ""
                                               : " left"));
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
            (std::vector<std::string>{"train.ipynb (cell 2):6 cuda-call-without-cuda left",
                                      "train.ipynb (cell 4):2 cuda-call-without-cuda left"}));
  EXPECT_TRUE(reading.diff.empty());
  std::vector<std::string> passed_over;
  for (const PassedOver& each : reading.passed_over) passed_over.push_back(each.path);
  EXPECT_EQ(passed_over, (std::vector<std::string>{"broken.ipynb", "none.ipynb", "train.ipynb"}));
}

TEST(ProjectReader, every_fault_of_the_guides_project_has_its_file_and_line) {
  const ProjectReading reading = read(source_tree() / "tests/data/project");
  const std::string script = "scripts/train_distributed_8card_gcu.py:";
  const std::string config = "configs/train_dinov3_mmrs1m_t20_gcu_8card.py:";
  const std::string start = "start_8card_training.sh:";
  std::vector<std::string> expected = {
      script + "21 mmengine-sets-cuda-device",
      script + "23 cuda-call-without-cuda",
      script + "24 cuda-call-without-cuda guarded",
      script + "26 cuda-call-without-cuda guarded",
      script + "27 cuda-call-without-cuda",
      script + "28 sync-batchnorm",
      script + "29 ddp-device-ids",
      script + "32 distributed-sampler",
      script + "34 cuda-device-string",
      script + "35 cuda-call-without-cuda",
      script + "35 eccl-asked-of-torch-distributed",
      script + "36 eccl-asked-of-torch-distributed",
      script + "36 eccl-asked-of-torch-distributed",
      script + "37 eccl-asked-of-torch-distributed",
      script + "39 eccl-asked-of-torch-distributed",
      "scripts/train_with_runner.py:11 mmengine-sets-cuda-device",
      "scripts/train_with_runner.py:13 eccl-asked-of-torch-distributed",
      config + "3 sync-batchnorm",
      config + "5 cudnn-benchmark",
      config + "7 nccl-not-built-in",
      "configs/settings.yaml:2 nccl-not-built-in",
      "configs/settings.yaml:3 cudnn-benchmark",
      start + "3 rank-exported",
      start + "7 standalone-with-master left",
      start + "9 launcher-option-dashes",
      start + "9 nproc-auto",
      start + "14 started-without-launcher left"};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(places_of(reading), expected);
  EXPECT_TRUE(reading.passed_over.empty());
  EXPECT_EQ(reading.files, 5U);
}

TEST(ProjectReader, what_is_no_code_stays_byte_for_byte) {
  const TemporaryFolder folder;
  const std::string text =
      "\xef\xbb\xbf\"\"\"x.cuda()\"\"\"\r\nimport torch\r\n\r\n# x.cuda()\r\ny = 'x.cuda()' + "
      "f'{x.cuda()}'\r\n"
      "if a:\r\n\tx = (x\r\n\t     .cuda())  # there";
  folder.write("train.py", text);
  const ProjectReading reading = read(folder.path());
  ASSERT_EQ(reading.places.size(), 1U);
  EXPECT_EQ(reading.places[0].line, 7);
  std::string expected = text;
  expected.replace(expected.find(".cuda())  #"), 7,
                   ".to(torch_gcu.gcu_device(int(os.environ.get('LOCAL_RANK', '0'))))");
  expected.insert(expected.find("\r\n\r\n") + 2, "import os\r\nimport torch_gcu\r\n");
  EXPECT_EQ(after(reading, "train.py"), expected);
}

TEST(ProjectReader, aliases_are_followed_and_names_of_others_are_not) {
  const TemporaryFolder folder;
  folder.write("a.py",
               "from torch import distributed as group\ngroup.init_process_group('eccl')\n"
               "from torch.distributed import all_reduce\nall_reduce(x)\n");
  folder.write("b.py", "import mine as torch\ntorch.cuda.set_device(0)\ntorch.device('cuda')\n");
  folder.write("c.py",
               "try:\n    import torch_gcu.distributed as dist\nexcept ImportError:\n"
               "    import torch.distributed as dist\ndist.all_reduce(x)\n");
  const ProjectReading reading = read(folder.path());
  EXPECT_EQ(places_of(reading),
            (std::vector<std::string>{"a.py:2 eccl-asked-of-torch-distributed",
                                      "a.py:4 eccl-asked-of-torch-distributed"}));
  EXPECT_EQ(after(reading, "a.py"),
            "from torch import distributed as group\nimport torch_gcu.distributed\n"
            "torch_gcu.distributed.init_process_group('eccl')\n"
            "from torch.distributed import all_reduce\ntorch_gcu.distributed.all_reduce(x)\n");
}

TEST(ProjectReader, collectives_stay_where_no_group_is_on_cards) {
  const TemporaryFolder folder;
  folder.write("a.py",
               "import torch.distributed as d\nd.init_process_group('gloo')\nd.barrier()\n");
  EXPECT_TRUE(read(folder.path()).places.empty());
}

TEST(ProjectReader, what_is_not_certain_waits_for_its_acceptance) {
  const TemporaryFolder folder;
  folder.write("a.py", "import torch\nif torch.cuda.is_available():\n    x = x.cuda()\n");
  EXPECT_TRUE(read(folder.path()).diff.empty());
  const ProjectReading reading = read(folder.path(), {{}, {"cuda-call-without-cuda"}});
  EXPECT_EQ(after(reading, "a.py"),
            "import torch\nimport os\nimport torch_gcu\nif torch_gcu.is_available():\n"
            "    x = x.to(torch_gcu.gcu_device(int(os.environ.get('LOCAL_RANK', '0'))))\n");
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
  EXPECT_EQ(places_of(reading), std::vector<std::string>{"fine.py:1 cuda-call-without-cuda"});
}

TEST(ProjectReader, a_directory_without_sources_is_refused) {
  const TemporaryFolder folder;
  EXPECT_THROW(read(folder.path()), Error);
  EXPECT_THROW(read(folder / "nothing"), Error);
}

TEST(ProjectReader, code_behind_a_guard_alone_is_no_problem) {
  DiagnosisCatalogue catalogue;
  Diagnosis diagnosis;
  diagnosis.finding.id = "cuda-call-without-cuda";
  diagnosis.finding.severity = Severity::error;
  catalogue.diagnoses = {diagnosis};
  ProjectReading reading;
  reading.places = {{"cuda-call-without-cuda", "a.py", 3, "x.cuda()", true, true, false}};
  Judgement judgement = judge_project(catalogue, reading, Language::english);
  EXPECT_EQ(judgement.verdict, JobVerdict::healthy);
  EXPECT_EQ(judgement.diagnoses.at(0).finding.severity, Severity::info);
  reading.places.push_back({"cuda-call-without-cuda", "a.py", 9, "y.cuda()", false, true, true});
  judgement = judge_project(catalogue, reading, Language::english);
  EXPECT_EQ(judgement.verdict, JobVerdict::problems);
  EXPECT_EQ(judgement.diagnoses.at(0).finding.evidence.at(1).line, 9);
}

}  // namespace
}  // namespace topsctl
