/* SPDX-License-Identifier: Apache-2.0 */
/* corpus.h - the tables of the verdicts of the MLCommons checkers, and the published logs they are about. Tests are
 * skipped if either is missing. The logs are in $PARITY_CACHE, or .corpus. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#define CORPUS_FOLDER "../shared/corpus"

static inline const char *corpus_text(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/* Find the folder with the unpacked logs of a table. Return false if it does not exist. */
static inline bool corpus_logs(const char *table, char *path, size_t size)
{
    const char *cache = getenv("PARITY_CACHE");
    int stem = (int)strlen(table) - (int)strlen(".jsonl");
    int archive = strncmp(table, "training_6", 10) == 0 ? 0 : stem;
    (void)snprintf(path, size, "%s/%.*s%s/%.*s", cache != NULL ? cache : ".corpus", archive, table,
                   archive == 0 ? "training_6.x" : "", stem, table);
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Call `function` for each row of kind "bench" in all tables. Return false if there are no tables. */
static inline bool corpus_each_folder(void (*function)(const char *table, const cJSON *row, void *state), void *state)
{
    DIR *folder = opendir(CORPUS_FOLDER);
    if (folder == NULL)
        return false;
    char *line = NULL;
    size_t capacity = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[512];
        (void)snprintf(path, sizeof path, CORPUS_FOLDER "/%s", entry->d_name);
        FILE *table = strstr(entry->d_name, ".jsonl") == NULL ? NULL : fopen(path, "r");
        while (table != NULL && getline(&line, &capacity, table) > 0) {
            /* A row with NaN is not valid JSON, so it gives NULL: there are too few runs for a mean. */
            cJSON *row = strstr(line, "\"kind\": \"bench\"") == NULL ? NULL : cJSON_Parse(line);
            if (row != NULL) {
                function(entry->d_name, row, state);
                cJSON_Delete(row);
            }
        }
        if (table != NULL)
            (void)fclose(table);
    }
    free(line);
    closedir(folder);
    return true;
}
