# SPDX-License-Identifier: Apache-2.0
export CRLF=1
