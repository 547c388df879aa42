// Reads the files of a bundle on all cores, and sorts the results by path.
#include "topsctl/host/bundle/bundle_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "host/bundle/bundle_walk.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace {

// Packages of this size are read by several threads each.
constexpr std::uint64_t large_package = 24ULL << 20U;
constexpr std::uint64_t progress_step = 4ULL << 20U;

struct Job {
  FoundFile file;
  FileKind kind = FileKind::other;
  std::uint64_t size = 0;
  BundlePart part;
};

// Reports progress from several threads.
class Progress {
 public:
  Progress(const BundleReading& reading, std::uint64_t total) : reading_(reading), total_(total) {}

  void file(const std::string& path) {
    throw_if_interrupted();
    if (!reading_.on_file) return;
    const std::lock_guard lock(mutex_);
    reading_.on_file(path);
  }

  void bytes(std::uint64_t count) {
    throw_if_interrupted();
    const std::uint64_t before = done_.fetch_add(count);
    if (!reading_.on_bytes || before / progress_step == (before + count) / progress_step) return;
    const std::lock_guard lock(mutex_);
    reading_.on_bytes(std::min(before + count, total_), total_);
  }

 private:
  const BundleReading& reading_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_ = 0;
  std::mutex mutex_;
};

std::string bytes_for_kind(Source& source) {
  std::string bytes;
  while (bytes.size() < telling_bytes) {
    const std::string_view piece = source.piece();
    if (piece.empty()) break;
    bytes.append(piece.substr(0, telling_bytes - bytes.size()));
  }
  return bytes;
}

Job job_for(FoundFile file) {
  Job job;
  const auto source = file_source(file.file);
  const FileRange range = source->range().value_or(FileRange{});
  job.size = range.size;
  const auto head =
      range_source({range.file, 0, std::min<std::uint64_t>(range.size, telling_bytes)}, file.shown);
  job.kind = kind_of(bytes_for_kind(*head), file.file.filename().string());
  job.file = std::move(file);
  return job;
}

class BundleWork {
 public:
  BundleWork(std::vector<Job>& jobs, const BundleReading& reading, std::uint64_t total)
      : jobs_(jobs), reading_(reading), progress_(reading, total) {}

  void run() {
    std::vector<Job*> shared;
    for (Job& job : jobs_) {
      if (uses_all_cores(job)) {
        read(job, alone());
      } else {
        shared.push_back(&job);
      }
    }
    std::stable_sort(shared.begin(), shared.end(),
                     [](const Job* a, const Job* b) { return a->size > b->size; });
    run_together(shared);
  }

 private:
  bool uses_all_cores(const Job& job) const {
    const bool is_archive =
        job.kind == FileKind::runfile || job.kind == FileKind::tar || job.kind == FileKind::zip;
    return is_archive || (reading_.depth == Depth::deep && job.size >= large_package);
  }

  PackageReading alone() const {
    PackageReading reading;
    reading.limits.threads = reading_.threads;
    reading.wheel.threads = reading_.threads;
    return reading;
  }

  void run_together(const std::vector<Job*>& jobs) {
    PackageReading reading;
    reading.limits.gate = &gate_;
    reading.wheel.memory = WheelReading::usual_memory / std::max(reading_.threads, 1U);
    for_each_index(
        jobs.size(), [&](std::size_t i) { read(*jobs[i], reading); }, reading_.threads);
  }

  void read(Job& job, const PackageReading& reading) {
    WalkReading walk;
    walk.package = reading;
    walk.package.depth = reading_.depth;
    walk.package.on_bytes = [this](std::uint64_t count) { progress_.bytes(count); };
    walk.on_file = [this](const std::string& path) { progress_.file(path); };
    const auto source = file_source(job.file.file);
    walk_file(*source, job.kind, job.file.shown, job.file.file.string(), walk, job.part);
  }

  std::vector<Job>& jobs_;
  const BundleReading& reading_;
  Progress progress_;
  std::mutex gate_;
};

void take(Inspection& inspection, BundlePart&& part) {
  for (FoundPackage& found : part.packages) {
    const std::size_t index = inspection.inventory.packages.size();
    if (inspection.depth == Depth::deep && found.package.verdict != Verdict::broken) {
      inspection.contents.emplace(index, std::move(found.contents));
    }
    inspection.inventory.packages.push_back(std::move(found.package));
  }
  std::move(part.containers.begin(), part.containers.end(),
            std::back_inserter(inspection.containers));
  std::move(part.others.begin(), part.others.end(), std::back_inserter(inspection.others));
  inspection.inventory.other_files += part.other_files;
  if (inspection.inventory.release.empty()) inspection.inventory.release = part.release;
  for (const auto& [setting, count] : part.settings) inspection.settings[setting] += count;
}

}  // namespace

Inspection read_bundle(const FoundFiles& found, const BundleReading& reading) {
  std::vector<Job> jobs;
  std::uint64_t total = 0;
  for (const FoundFile& file : found.files) {
    throw_if_interrupted();
    jobs.push_back(job_for(file));
    if (jobs.back().kind != FileKind::other) total += jobs.back().size;
  }
  BundleWork(jobs, reading, total).run();
  Inspection inspection;
  inspection.depth = reading.depth;
  for (Job& job : jobs) take(inspection, std::move(job.part));
  if (inspection.inventory.packages.empty() &&
      std::all_of(inspection.containers.begin(), inspection.containers.end(),
                  [](const ContainerFile& container) { return container.problem.empty(); })) {
    throw Error(ErrorCode::bad_bundle, format("no package found in {}", in_quotes(found.subject)),
                "give a bundle directory, .deb and .whl files, or an archive or .run file that "
                "contains them");
  }
  return inspection;
}

}  // namespace topsctl
