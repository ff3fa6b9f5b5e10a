#include <burn/train.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace burn {

namespace {

using namespace std::chrono_literals;

constexpr auto terminalInterval = 100ms;
constexpr auto plainInterval = 10s;

double secondsBetween(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

/// Text of limited length in a buffer of its own, since drawing must not allocate.
class Line {
public:
  template <typename... Args> void add(fmt::format_string<Args...> format, Args &&...args) {
    const auto result = fmt::format_to_n(text_ + size_, sizeof text_ - size_, format, std::forward<Args>(args)...);
    size_ = std::min(sizeof text_, size_ + result.size);
  }
  void addDuration(double seconds) {
    const auto whole = static_cast<int64_t>(seconds + 0.5);
    if (whole >= 3600)
      add("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    else
      add("{}:{:02}", whole / 60, whole % 60);
  }
  size_t size() const { return size_; }
  std::string_view text() const { return {text_, size_}; }

private:
  char text_[512];
  size_t size_ = 0;
};

size_t terminalWidth(std::FILE *out) {
  winsize size{};
  if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

} // namespace

ProgressBar::ProgressBar(int64_t epochs, int64_t images, std::FILE *out)
    : out_(out), terminal_(isatty(fileno(out)) != 0), epochs_(epochs), images_(images), begin_(Clock::now()),
      lastDraw_(begin_), epochBegin_(begin_) {}

ProgressBar::~ProgressBar() {
  if (lineOpen_)
    std::fputc('\n', out_);
  std::fflush(out_);
}

void ProgressBar::begin_epoch(int64_t epoch, int64_t done) {
  epoch_ = epoch;
  done_ = done;
  epochTrained_ = 0;
  epochBegin_ = Clock::now();
}

bool ProgressBar::due() const {
  return Clock::now() - lastDraw_ >= (terminal_ ? Clock::duration(terminalInterval) : Clock::duration(plainInterval));
}

void ProgressBar::advance(int64_t images) {
  done_ += images;
  trained_ += images;
  epochTrained_ += images;
}

void ProgressBar::update(double loss, double accuracy) {
  if (due())
    draw(loss, accuracy, false);
}

void ProgressBar::end_epoch(double loss, double accuracy) { draw(loss, accuracy, true); }

void ProgressBar::draw(double loss, double accuracy, bool last) {
  const auto now = Clock::now();
  lastDraw_ = now;
  const double total = secondsBetween(begin_, now);
  const int64_t left = std::max<int64_t>(0, (epochs_ - epoch_) * images_ - done_);
  // The rate of the whole run steadies the time left; the rate shown is that of the epoch.
  const double timeLeft = trained_ > 0 ? total * static_cast<double>(left) / static_cast<double>(trained_) : 0;
  const double epochSeconds = secondsBetween(epochBegin_, now);
  const double rate = epochSeconds > 0 ? static_cast<double>(epochTrained_) / epochSeconds : 0;

  Line line, figures;
  line.add("epoch {:>{}}/{} ", epoch_ + 1, fmt::formatted_size("{}", epochs_), epochs_);
  figures.add(" {:3.0f} %  loss {:.4f}  accuracy {:5.2f} %  {:.0f} images/s  ",
              images_ > 0 ? 100.0 * static_cast<double>(done_) / static_cast<double>(images_) : 100.0, loss,
              100 * accuracy, rate);
  if (last) {
    figures.addDuration(epochSeconds);
  } else {
    figures.addDuration(timeLeft);
    figures.add(" left");
  }
  if (terminal_) {
    // The bar takes what the figures leave of the line, whose last column stays free: some terminals wrap there.
    const size_t width = terminalWidth(out_);
    const size_t used = line.size() + figures.size() + 3;
    if (used < width) {
      const size_t cells = std::min<size_t>(width - used, 30);
      const double share = images_ > 0 ? static_cast<double>(done_) / static_cast<double>(images_) : 1.0;
      const size_t full = std::min(cells, static_cast<size_t>(share * static_cast<double>(cells)));
      line.add("[{:=<{}}{:<{}}]", "", full, "", cells - full);
    }
  }
  line.add("{}", figures.text());
  if (terminal_)
    std::fputs("\r\x1b[K", out_); // back to the start, and wipe what a longer line left
  std::fwrite(line.text().data(), 1, line.text().size(), out_);
  lineOpen_ = terminal_ && !last;
  if (!lineOpen_)
    std::fputc('\n', out_);
  std::fflush(out_);
}

} // namespace burn
