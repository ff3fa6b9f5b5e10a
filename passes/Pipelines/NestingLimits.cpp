#include "passes/Pipelines/NestingLimits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace burn;
using llvm::StringRef;

namespace {

constexpr uint64_t kMostBrackets = 256;
// Each is a frame or two of the parser.
constexpr uint64_t kMostOperators = 1000;
constexpr uint64_t kMostUses = 1000000;

// One walk over the text. It knows strings, comments, brackets and names of aliases, and no more of the grammar.
class Scanner {
public:
  explicit Scanner(StringRef text) : rest_(text) {}

  std::string run() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '"') {
        skipString();
      } else if (rest_.starts_with("//")) {
        rest_ = rest_.drop_until([](char next) { return next == '\n' || next == '\r'; });
      } else if (rest_.starts_with("->") || rest_.starts_with(">=") || rest_.starts_with("<=")) {
        rest_ = rest_.drop_front(2);
      } else if (c == '#' || c == '!') {
        rest_ = rest_.drop_front();
        alias();
      } else if (llvm::isAlnum(c) || c == '_') {
        const StringRef word = takeName();
        operators_ += word == "mod" || word == "floordiv" || word == "ceildiv";
      } else {
        rest_ = rest_.drop_front();
        sign(c);
      }
      if (std::max(brackets_, current_.depth) > kMostBrackets)
        return "brackets are nested more than " + std::to_string(kMostBrackets) + " deep";
      if (operators_ > kMostOperators)
        return "an expression has more than " + std::to_string(kMostOperators) + " operators";
      if (current_.uses > kMostUses)
        return "aliases stand for more than " + std::to_string(kMostUses) + " others";
    }
    return "";
  }

private:
  // What an alias stands for: how deep it nests, and how many aliases it has in it.
  struct Alias {
    uint64_t depth = 0, uses = 0;
  };

  void skipString() {
    size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"')
      end += rest_[end] == '\\' ? 2 : 1;
    rest_ = rest_.drop_front(std::min(end + 1, rest_.size()));
  }

  StringRef takeName() {
    const StringRef name = rest_.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
    rest_ = rest_.drop_front(name.size());
    return name;
  }

  void alias() {
    const StringRef name = takeName();
    const StringRef next = rest_.ltrim();
    if (brackets_ == 0 && next.starts_with("=") && !next.starts_with("==")) {
      finish();
      defined_ = name;
      return;
    }
    const auto known = aliases_.find(name);
    if (known == aliases_.end())
      return;
    current_.depth = std::max(current_.depth, brackets_ + known->second.depth);
    current_.uses += 1 + known->second.uses;
  }

  // Ends the definition of an alias, and begins what follows it.
  void finish() {
    // A name that is defined twice is the parser's to refuse.
    if (!defined_.empty())
      aliases_[defined_] = current_;
    defined_ = "";
    current_ = {};
  }

  void sign(char c) {
    switch (c) {
    case '(':
    case '[':
    case '{':
    case '<':
      operators_ = 0;
      current_.depth = std::max(current_.depth, ++brackets_);
      break;
    case ')':
    case ']':
    case '}':
    case '>':
      operators_ = 0;
      brackets_ -= brackets_ > 0;
      break;
    case ',':
      operators_ = 0;
      break;
    case '+':
    case '-':
    case '*':
      ++operators_;
      break;
    case '%':
    case '@':
    case '^':
      // Names of values, symbols and blocks; what they end with is no alias.
      (void)takeName();
      break;
    default:
      break;
    }
  }

  StringRef rest_;
  uint64_t brackets_ = 0, operators_ = 0;
  llvm::StringMap<Alias> aliases_;
  StringRef defined_;
  Alias current_;
};

} // namespace

std::string compiler::exceededNesting(StringRef text) { return Scanner(text).run(); }
