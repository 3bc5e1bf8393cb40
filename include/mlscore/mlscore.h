/* SPDX-License-Identifier: Apache-2.0 */
/* mlscore.h - the whole library in one include. */
#ifndef MLSCORE_MLSCORE_H
#define MLSCORE_MLSCORE_H

#include "mlscore/accelerators.h"
#include "mlscore/base.h"
#include "mlscore/collect.h"
#include "mlscore/compare.h"
#include "mlscore/config.h"
#include "mlscore/diagnose.h"
#include "mlscore/edition.h"
#include "mlscore/group.h"
#include "mlscore/log.h"
#include "mlscore/memory.h"
#include "mlscore/messages.h"
#include "mlscore/models.h"
#include "mlscore/parts.h"
#include "mlscore/profile.h"
#include "mlscore/published.h"
#include "mlscore/rcp.h"
#include "mlscore/reading.h"
#include "mlscore/rules.h"
#include "mlscore/run.h"
#include "mlscore/shell.h"
#include "mlscore/submission.h"
#include "mlscore/system.h"
#include "mlscore/telemetry.h"
#include "mlscore/throughput.h"
#include "mlscore/value.h"

#endif
