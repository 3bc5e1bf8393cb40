# SPDX-License-Identifier: Apache-2.0
ORDER="${ORDER}1"
FROM_ONE=${BASH_SOURCE[0]}
source $(dirname ${BASH_SOURCE[0]})/two.sh
[ "$ORDER" = 12 ] && return
NOT_AT_FIRST=$ORDER
