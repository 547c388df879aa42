// Templates of jobs: what fills them, and what in them is refused.
#include "topsctl/engine/cluster/job_template.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/engine/cluster/cluster_job.hpp"
#include "topsctl/engine/cluster/known_launchers.hpp"

namespace topsctl {
namespace {

JobTemplate of_lines(Json lines) {
  const Json document = {{"schema", 1},
                         {"name", "own"},
                         {"title", "t"},
                         {"submit", {"run", "@name@"}},
                         {"files", {{{"name", "job"}, {"lines", std::move(lines)}}}}};
  return job_template_in(JsonReader(document, "own"));
}

std::string text_of(const Json& lines, const TemplateValues& values) {
  return filled(of_lines(lines), values).front().text;
}

const TemplateValues values = {{{"name", "it's"}, {"none", ""}},
                               {{"hosts", {{{"item", "a"}}, {{"item", "b"}}}}, {"volumes", {}}}};

TEST(JobTemplates, FillWordsListsAndConditions) {
  EXPECT_EQ(text_of({"@name@ @name:sh@ @name:json@", "\"$@\" a@b @name @x1@"}, values),
            "it's 'it'\\''s' \"it's\"\n\"$@\" a@b @name @x1@\n");
  EXPECT_EQ(text_of({{{"each", "hosts"}, {"lines", {"- @item@", "  @name@"}}}}, values),
            "- a\n  it's\n- b\n  it's\n");
  EXPECT_EQ(text_of({{{"when", "none"}, {"lines", {"x"}}},
                     {{"when", "volumes"}, {"lines", {"y"}}},
                     {{"when", "hosts"}, {"lines", {"z"}}}},
                    values),
            "z\n");
  EXPECT_EQ(submit_command(of_lines({"x"}), values), (std::vector<std::string>{"run", "it's"}));
}

TEST(JobTemplates, RefuseWhatNothingFills) {
  for (const Json& lines :
       {Json{"@nmae@"}, Json{"@name:yaml@"}, Json{{{"each", "hsots"}, {"lines", {"x"}}}},
        Json{{{"when", "nnoe"}, {"lines", {"x"}}}}}) {
    EXPECT_THROW(text_of(lines, values), Error) << lines;
  }
}

TEST(JobTemplates, RefuseValuesThatWouldAddALine) {
  for (const char* value : {"a\n#SBATCH --uid=0", "a\rb", "\xff", "\x7f", "\x1b[2J"}) {
    TemplateValues bad = values;
    bad.words["name"] = value;
    for (const char* line : {"@name@", "@name:sh@", "@name:json@", "@name:k8s@", "@name:sbatch@"})
      EXPECT_THROW(text_of({line}, bad), Error) << line;
  }
}

TEST(JobTemplates, GuardWhatSchedulersExpand) {
  TemplateValues given = values;
  given.words["name"] = "100%j $(A) $$";
  EXPECT_EQ(text_of({"@name:sbatch@"}, given), "'100%%j $(A) $$'\n");
  EXPECT_EQ(text_of({"@name:k8s@"}, given), "\"100%j $$(A) $$$$\"\n");
  given.words["name"] = "a\\b";
  EXPECT_THROW(text_of({"@name:sbatch@"}, given), Error);
}

TEST(JobTemplates, RefuseWhatIsOfNoForm) {
  for (const Json& lines : {Json{1}, Json{{{"lines", {"x"}}}},
                            Json{{{"each", "hosts"}, {"when", "name"}, {"lines", {"x"}}}},
                            Json{{{"if", "name"}, {"lines", {"x"}}}}}) {
    EXPECT_THROW(of_lines(lines), Error) << lines;
  }
}

TEST(Launchers, ThatAreBuiltInCanBeFilled) {
  for (const JobTemplate& form : known_launchers("/nowhere")) {
    ClusterWishes wishes;
    wishes.name = "job";
    wishes.hosts = {"n0", "n1"};
    wishes.words = {"train.py"};
    wishes.checkpoints = "/work";
    wishes.resume = "--from={checkpoint} --now";
    wishes.volumes = {job_volume_in("hostPath:/a:/b"), job_volume_in("nfs:s:/a:/c"),
                      job_volume_in("pvc:claim:/d")};
    wishes.engine_arguments = {"--x"};
    Stack stack;
    stack.accelerator.gres = "gcu";
    stack.accelerator.resource = "enflame.com/gcu";
    wishes.image = "t20:1";
    const TemplateValues of_job = job_values(wishes, lay_out({2, 8}), stack, Environment());
    EXPECT_TRUE(missing_values(form, of_job).empty()) << form.name;
    EXPECT_EQ(missing_values(form, job_values({}, lay_out({2, 8}), Stack(), Environment())),
              form.needs);
    for (const JobFile& file : filled(form, of_job)) EXPECT_FALSE(file.text.empty()) << form.name;
    EXPECT_EQ(of_job.words.at("resume"), "--from=\"$checkpoint\" --now");
  }
}

TEST(JobNames, AreDnsLabels) {
  EXPECT_EQ(job_name_of({"scripts/Train_8 card.py", "x"}), "train-8-card");
  EXPECT_EQ(job_name_of({"8.py"}), "job-8");
  EXPECT_EQ(job_name_of({"训练.py"}), "training");
  EXPECT_EQ(job_name_of({std::string(80, 'a')}).size(), 40U);
}

TEST(JobVolumes, RefuseWhatIsNone) {
  for (const char* text : {"", "a", "hostPath:/a", "hostPath::/a", "hostPath:/a:b", "nfs:/a:/b",
                           "nfs::/a:/b", "pvc:x:/d:/e", "tmpfs:/a:/b"})
    EXPECT_THROW(job_volume_in(text), Error) << text;
}

}  // namespace
}  // namespace topsctl
