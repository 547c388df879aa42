// Renders cards and ranks as text of a few lines.
#pragma once

#include <cstddef>
#include <string>

#include "cli/render.hpp"
#include "topsctl/engine/launch/card_watch.hpp"

namespace topsctl {

// Tables of cards and ranks, and the state.
std::string watch_text(const CardWatch& watch, const Judgement& judgement, const Style& style);

// A picture for a terminal of that size: the text under a heading, cut to its columns and rows; the
// state stays. Ends without a line's end.
std::string watch_picture(const CardWatch& watch, const Judgement& judgement,
                          const std::string& heading, std::size_t columns, std::size_t rows,
                          const Style& style);

}  // namespace topsctl
