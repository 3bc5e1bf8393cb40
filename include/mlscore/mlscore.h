/* SPDX-License-Identifier: Apache-2.0 */
/* mlscore.h - include all headers of the library. */
#pragma once

#include "mlscore/error.h"
#include "mlscore/findings.h"
#include "mlscore/group.h"
#include "mlscore/keys.h"
#include "mlscore/read.h"
#include "mlscore/rules.h"
#include "mlscore/run.h"
#include "mlscore/submission.h"
#include "mlscore/version.h"
#include "mlscore/write.h"
