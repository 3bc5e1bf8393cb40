# SPDX-License-Identifier: Apache-2.0
ORDER="${ORDER}2"
