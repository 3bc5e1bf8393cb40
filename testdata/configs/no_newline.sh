# SPDX-License-Identifier: Apache-2.0
export LAST=1 # no newline