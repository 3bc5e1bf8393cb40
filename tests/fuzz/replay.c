/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - a main() for fuzzers built without libFuzzer.  It passes each file named on the command line to the
 * fuzzer's function, in a block of exactly its size, so that a sanitizer detects reads past the end. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    long size = -1;
    int status = 1;

    if (file != NULL && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
        data = malloc(size > 0 ? (size_t)size : 1);
    if (data != NULL && fread(data, 1, (size_t)size, file) == (size_t)size) {
        (void)LLVMFuzzerTestOneInput(data, (size_t)size);
        status = 0;
    } else {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    }
    free(data);
    if (file != NULL)
        fclose(file);
    return status;
}

int main(int argc, char **argv)
{
    int status = 0;

    for (int i = 1; i < argc; i++)
        status |= replay(argv[i]);
    return status;
}
