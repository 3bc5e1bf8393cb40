# SPDX-License-Identifier: Apache-2.0
# Read by sources_guard.sh.
SOURCED=${SOURCED}x
