// The report of topsctl doctor as text: the verdict first.
#pragma once

#include <string>

#include "cli/finding_text.hpp"
#include "topsctl/engine/diagnosis/doctor_report.hpp"

namespace topsctl {

std::string render_doctor(const DoctorReport& report, Detail detail, const Style& style);
// One line for each record.
std::string render_diagnosis_list(const DoctorReport& report, const Style& style);
// All data of one diagnosis.
std::string render_diagnosis(const Diagnosis& diagnosis, Language language, const Style& style);

}  // namespace topsctl
