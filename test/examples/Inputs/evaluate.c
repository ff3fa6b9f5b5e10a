/* Evaluates the test images of MNIST with the function that burn-compile made of the example's export.
   usage: evaluate WEIGHTS.safetensors IMAGES.idx LABELS.idx */
#include "eval.h"

#include <stdio.h>
#include <stdlib.h>

struct bytes {
  unsigned char *data;
  size_t size;
};

static struct bytes read_file(const char *name) {
  FILE *file = fopen(name, "rb");
  struct bytes content = {NULL, 0};
  if (!file || fseek(file, 0, SEEK_END) != 0) {
    fprintf(stderr, "cannot read %s\n", name);
    exit(1);
  }
  content.size = (size_t)ftell(file);
  content.data = malloc(content.size + 1);
  rewind(file);
  if (!content.data || fread(content.data, 1, content.size, file) != content.size) {
    fprintf(stderr, "cannot read %s\n", name);
    exit(1);
  }
  content.data[content.size] = 0;
  fclose(file);
  return content;
}

/* The elements of a tensor in a safetensors file: an 8-byte length, a JSON header, the data. The example writes the
   names without escapes, and data_offsets last in each entry. */
static float *tensor(struct bytes file, const char *name) {
  uint64_t length;
  char key[64];
  memcpy(&length, file.data, 8);
  snprintf(key, sizeof key, "{\"%s\":{", name);
  char *header = malloc(length + 1);
  memcpy(header, file.data + 8, length);
  header[length] = 0;
  const char *entry = strstr(header, key);
  key[0] = ',';
  if (!entry)
    entry = strstr(header, key);
  const char *offsets = entry ? strstr(entry, "\"data_offsets\":[") : NULL;
  if (!offsets) {
    fprintf(stderr, "no tensor %s\n", name);
    exit(1);
  }
  const uint64_t begin = strtoull(offsets + 16, NULL, 10);
  const uint64_t end = strtoull(strchr(offsets, ',') + 1, NULL, 10);
  free(header);
  float *elements = malloc(end - begin);
  memcpy(elements, file.data + 8 + length + begin, end - begin);
  return elements;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  const struct bytes weights = read_file(argv[1]), images = read_file(argv[2]), labels = read_file(argv[3]);
  static const char *const names[18] = {
      "conv1.weight", "conv1.bias", "bn1.weight", "bn1.bias", "conv2.weight",     "conv2.bias",
      "bn2.weight",   "bn2.bias",   "fc1.weight", "fc1.bias", "fc2.weight",       "fc2.bias",
      "fc3.weight",   "fc3.bias",   "bn1.running_mean", "bn1.running_var", "bn2.running_mean", "bn2.running_var"};
  const float *w[18];
  for (int i = 0; i < 18; ++i)
    w[i] = tensor(weights, names[i]);
  void *arena = aligned_alloc(EVAL_ARENA_ALIGNMENT, (EVAL_ARENA_BYTES + 63) / 64 * 64);
  const size_t count = labels.size - 8;
  size_t right = 0;
  for (size_t n = 0; n < count; ++n) {
    float image[784], logits[10];
    for (int i = 0; i < 784; ++i)
      image[i] = ((float)images.data[16 + 784 * n + i] / 255.0f - 0.1307f) / 0.3081f;
    if (eval(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15],
             w[16], w[17], image, logits, arena) != 0)
      return 1;
    int best = 0;
    for (int i = 1; i < 10; ++i)
      if (logits[i] > logits[best])
        best = i;
    right += best == labels.data[8 + n];
  }
  printf("test accuracy: %.2f %%\n", 100.0 * (double)right / (double)count);
  return 0;
}
