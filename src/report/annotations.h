/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotations.h - findings as continuous integration systems want them.
 */
#ifndef MLS_REPORT_ANNOTATIONS_H
#define MLS_REPORT_ANNOTATIONS_H

#include "base/buffer.h"

/* Appends a GitHub workflow command: the finding becomes a remark at its file and line. */
void mls_github_append_finding(mls_buffer *out, const mls_finding *finding, const char *path);

/* Appends XML text or an attribute; what XML has no way to say becomes U+FFFD. */
void mls_xml_append(mls_buffer *out, const char *text);

/* Appends "path:line: severity: message", for the text of a JUnit test case. */
void mls_xml_append_finding(mls_buffer *out, const mls_finding *finding, const char *path);

#endif
