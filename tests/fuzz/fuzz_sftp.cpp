// Feeds bytes to the parser of SFTP packets in different pieces, and each packet to whoever reads
// its fields.
#include <string>

#include "pieces.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/sftp_packets.hpp"

namespace {

using namespace topsctl;

template <class Call>
void attempt(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    fuzz::expect_told(error);
  }
}

void read_fields(const SftpPacket& packet) {
  const std::string_view fields = packet.fields;
  attempt([&] { parse_sftp_extensions(fields); });
  attempt([&] {
    const SftpStatus status = parse_sftp_status(fields);
    fuzz::expect(printable(status.text) == status.text && status.text.size() <= fields.size());
  });
  attempt([&] { fuzz::expect(parse_sftp_handle(fields).size() <= 256); });
  attempt([&] { fuzz::expect(parse_sftp_data(fields).size() <= most_sftp_packet); });
  attempt([&] { parse_sftp_attributes(fields); });
  attempt([&] { parse_sftp_room(fields); });
}

// What was heard, and whether the bytes were refused.
std::string heard_from(std::string_view bytes, unsigned shape) {
  std::string heard;
  SftpParser parser;
  fuzz::Pieces pieces(bytes, shape);
  try {
    for (std::string_view piece = pieces.piece(); !piece.empty(); piece = pieces.piece()) {
      parser.take(piece);
      while (const auto packet = parser.next()) {
        heard += concat(static_cast<unsigned>(packet->kind), ".", packet->number, ":",
                        packet->fields, ";");
        read_fields(*packet);
      }
    }
  } catch (const Error& error) {
    fuzz::expect_told(error);
    heard += "refused";
  }
  return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes = fuzz::text_of(data, size);
  const unsigned shape = fuzz::choice(bytes);
  fuzz::expect(heard_from(bytes, 0) == heard_from(bytes, shape));
  return 0;
}
