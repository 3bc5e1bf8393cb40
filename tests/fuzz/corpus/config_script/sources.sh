
# Read by sources_guard.sh.
SOURCED=${SOURCED}x
