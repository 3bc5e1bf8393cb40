/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generator - writes testdata/slurm, logs, submission and throughput.
 *
 * usage: generator FOLDER; its folders of these names must exist.
 * `make testdata` runs it; a test runs it again and compares every byte.
 */
#include "writer.h"

#include <stdlib.h>

uint64_t random_next(random_source *source)
{
    uint64_t z = (source->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t random_below(random_source *source, uint64_t bound)
{
    return random_next(source) % bound;
}

static void give_up(const char *name)
{
    perror(name);
    exit(EXIT_FAILURE);
}

FILE *output_open(const char *folder, const char *name)
{
    char path[4096];
    FILE *file = NULL;
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);

    if (length > 0 && (size_t)length < sizeof path)
        file = fopen(path, "wb");
    if (file == NULL)
        give_up(path);
    return file;
}

void output_close(FILE *file, const char *name)
{
    bool failed = ferror(file) != 0;

    if (fclose(file) != 0 || failed)
        give_up(name);
}

void record_print(FILE *out, int64_t time_ms, const char *type, const char *key, const char *value, const char *file,
                  int lineno, const char *more)
{
    fprintf(out,
            ":::MLLOG {\"namespace\": \"\", \"time_ms\": %lld, \"event_type\": \"%s\", \"key\": \"%s\", "
            "\"value\": %s, \"metadata\": {\"file\": \"%s\", \"lineno\": %d%s}}",
            (long long)time_ms, type, key, value, file, lineno, more);
}

int main(int argc, char **argv)
{
    char folder[4096];

    if (argc != 2) {
        fputs("usage: generator FOLDER\n", stderr);
        return 2;
    }
    snprintf(folder, sizeof folder, "%s/slurm", argv[1]);
    slurm_write(folder);
    snprintf(folder, sizeof folder, "%s/logs", argv[1]);
    logs_write(folder);
    snprintf(folder, sizeof folder, "%s/submission", argv[1]);
    submission_write(folder);
    snprintf(folder, sizeof folder, "%s/throughput", argv[1]);
    throughput_write(folder);
    return 0;
}
