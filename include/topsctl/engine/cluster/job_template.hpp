// Cluster launchers as data: templates of the files that a scheduler accepts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/model/json_reader.hpp"

namespace topsctl {

// Values for @name@ in a template, or with a filter: @name:sh@ is one word for a shell, @name:json@
// a JSON string, which is valid YAML too, @name:k8s@ the same where Kubernetes expands $(NAME), and
// @name:sbatch@ a path in an sbatch directive, which expands %.
using TemplateWords = std::map<std::string, std::string>;

struct TemplateValues {
  TemplateWords words;
  std::map<std::string, std::vector<TemplateWords>> lists;
};

// Lines that appear always; or once per member of a list, with its words added to the others; or
// only if a word is not empty or a list has members.
struct TemplateBlock {
  enum class Kind { always, each, when };
  Kind kind = Kind::always;
  std::string name;  // name of the list or word
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
  bool sorts_hosts = false;         // ignores the given order
  std::string as_root;              // an argument that it needs to start as root
  std::vector<std::string> submit;  // the command that submits the files, ends with the job, and
                                    // stops it on SIGTERM; may use words
  std::vector<TemplateFile> files;
};

// Throws Error{bad_stack} if it does not match docs/launchers.schema.json.
JobTemplate job_template_in(const JsonReader& reader);

struct JobFile {
  std::string name;
  bool is_executable = false;
  std::string text;
};

// Whether its files use a word or list of this name.
bool uses(const JobTemplate& form, const std::string& name);
// Required values that are missing; empty: none.
std::vector<std::string> missing_values(const JobTemplate& form, const TemplateValues& values);
// Deterministic. Throws Error{bad_input} for a placeholder without a value, and for a value with
// control characters or invalid UTF-8.
std::vector<JobFile> filled(const JobTemplate& form, const TemplateValues& values);
std::vector<std::string> submit_command(const JobTemplate& form, const TemplateValues& values);

}  // namespace topsctl
