// Launchers of clusters as data: the files that a scheduler takes, with places for what a job says.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/model/json_reader.hpp"

namespace topsctl {

// What stands in a template as @name@, or with a filter: @name:sh@ is one word for a shell,
// @name:json@ a JSON string, which is YAML as well, @name:k8s@ the same where Kubernetes expands
// $(NAME), and @name:sbatch@ a path in a directive of sbatch, which expands %.
using TemplateWords = std::map<std::string, std::string>;

struct TemplateValues {
  TemplateWords words;
  std::map<std::string, std::vector<TemplateWords>> lists;
};

// Lines; for each member of a list, with its words besides the others; or only where a word is not
// empty, or a list has members.
struct TemplateBlock {
  enum class Kind { always, each, when };
  Kind kind = Kind::always;
  std::string name;  // of the list or word
  std::vector<std::string> lines;
};

struct TemplateFile {
  std::string name;
  bool is_executable = false;
  std::vector<TemplateBlock> blocks;
};

struct JobTemplate {
  std::string name;                 // "slurm"
  std::string title;                // one line
  std::vector<std::string> needs;   // words and lists that must not be empty
  bool sorts_hosts = false;         // whatever their order was
  std::string as_root;              // an argument without which it does not start for root
  std::vector<std::string> submit;  // the command that hands the files over, ends with the job, and
                                    // by SIGTERM ends it; may use words
  std::vector<TemplateFile> files;
};

// Throws Error{bad_stack} for what is not of the form of docs/launchers.schema.json.
JobTemplate job_template_in(const JsonReader& reader);

struct JobFile {
  std::string name;
  bool is_executable = false;
  std::string text;
};

// Whether a word or list stands anywhere in its files.
bool uses(const JobTemplate& form, const std::string& name);
// What a job needs and does not have; empty: it has all.
std::vector<std::string> missing_values(const JobTemplate& form, const TemplateValues& values);
// The same bytes for the same values. Throws Error{bad_input} for a place that no value fills, and
// for a value that cannot stand in a file: with control characters, or no UTF-8.
std::vector<JobFile> filled(const JobTemplate& form, const TemplateValues& values);
std::vector<std::string> submit_command(const JobTemplate& form, const TemplateValues& values);

}  // namespace topsctl
