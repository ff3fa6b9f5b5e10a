#include "passes/Targets/Cpu/LinkSharedObject.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace burn::compiler {
namespace {

llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Error makeSystemError(llvm::StringRef what) { return makeError(what + ": " + std::strerror(errno)); }

/// A file descriptor that closes itself.
class Descriptor {
public:
  explicit Descriptor(int value = -1) : value(value) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() { close(); }

  void reset(int newValue) {
    close();
    value = newValue;
  }
  void close() {
    if (value >= 0)
      ::close(value);
    value = -1;
  }
  int get() const { return value; }
  /// A path under which this process opens the same file.
  std::string path() const { return "/proc/self/fd/" + std::to_string(value); }

private:
  int value;
};

/// Puts every signal action back to what it was: lld installs handlers of its
/// own for interrupts and crashes and leaves them.
class SignalActionsKeeper {
public:
  SignalActionsKeeper() {
    for (int signal = 1; signal < NSIG; ++signal)
      known[signal] = sigaction(signal, nullptr, &actions[signal]) == 0;
  }
  ~SignalActionsKeeper() {
    for (int signal = 1; signal < NSIG; ++signal)
      if (known[signal] && signal != SIGKILL && signal != SIGSTOP)
        sigaction(signal, &actions[signal], nullptr);
  }

private:
  struct sigaction actions[NSIG];
  bool known[NSIG] = {};
};

bool writeAll(int descriptor, llvm::ArrayRef<char> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes = bytes.drop_front(written);
  }
  return true;
}

/// Collects what is written to a pipe. lld writes its output as one stream
/// when the output path is no regular file, so that no directory has to be
/// writable; a pipe holds less than an object, so a thread empties it.
struct PipeReader {
  int descriptor;
  llvm::SmallVector<char, 0> bytes;

  static void *run(void *self) {
    auto &reader = *static_cast<PipeReader *>(self);
    char buffer[1 << 16];
    while (true) {
      ssize_t count = ::read(reader.descriptor, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return nullptr;
      reader.bytes.append(buffer, buffer + count);
    }
  }
};

} // namespace

llvm::Expected<llvm::SmallVector<std::string>> undefinedSymbols(llvm::ArrayRef<char> object) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()), "object");
  auto file = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!file)
    return file.takeError();
  llvm::SmallVector<std::string> names;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined))
      continue;
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    // The null entry, and the table that position-independent code names.
    if (!name->empty() && *name != "_GLOBAL_OFFSET_TABLE_")
      names.push_back(name->str());
  }
  llvm::sort(names);
  return std::move(names);
}

llvm::Expected<llvm::SmallVector<char, 0>> linkSharedObject(llvm::ArrayRef<char> object) {
  return linkSharedObjects(llvm::SmallVector<char, 0>(object.begin(), object.end()));
}

llvm::Expected<llvm::SmallVector<char, 0>> linkSharedObjects(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects) {
  static std::mutex mutex;
  static bool usable = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (!usable)
    return makeError("the linker failed earlier in this process and cannot "
                     "run again");

  std::deque<Descriptor> inputs;
  for (const llvm::SmallVector<char, 0> &object : objects) {
    Descriptor &input = inputs.emplace_back(memfd_create("burn-object", MFD_CLOEXEC));
    if (input.get() < 0)
      return makeSystemError("cannot create a memory file");
    if (!writeAll(input.get(), object))
      return makeSystemError("cannot write the object to a memory file");
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return makeSystemError("cannot create a pipe");
  Descriptor readEnd(ends[0]), writeEnd(ends[1]);

  PipeReader reader{readEnd.get(), {}};
  pthread_t thread;
  if (int code = pthread_create(&thread, nullptr, PipeReader::run, &reader)) {
    errno = code;
    return makeSystemError("cannot start a thread");
  }

  std::string outputPath = writeEnd.path();
  std::deque<std::string> inputPaths;
  std::vector<const char *> arguments = {
      "ld.lld", "-shared",     "-Bsymbolic", "--hash-style=gnu", "--build-id=none", "--threads=1",
      "-z",     "noexecstack", "-o",         outputPath.c_str()};
  for (const Descriptor &input : inputs)
    arguments.push_back(inputPaths.emplace_back(input.path()).c_str());
  std::string text;
  llvm::raw_string_ostream messages(text);
  lld::Result result;
  {
    SignalActionsKeeper keeper;
    result = lld::lldMain(arguments, messages, messages, {{lld::Gnu, &lld::elf::link}});
  }
  // The reader ends once no writer is left.
  writeEnd.close();
  pthread_join(thread, nullptr);

  usable = result.canRunAgain;
  if (result.retCode != 0)
    return makeError("linking failed: " + llvm::StringRef(text).rtrim());
  if (reader.bytes.empty())
    return makeError("linking produced no output");
  return std::move(reader.bytes);
}

} // namespace burn::compiler
