# SPDX-License-Identifier: Apache-2.0
#
# Each build flavour has its folder in build/: release, asan, tsan, cov.
# `make help` lists the targets.

PREFIX      ?= /usr/local
BINDIR      ?= $(PREFIX)/bin
LIBDIR      ?= $(PREFIX)/lib
INCLUDEDIR  ?= $(PREFIX)/include
MANDIR      ?= $(PREFIX)/share/man
DATADIR     ?= $(PREFIX)/share
INSTALL     ?= install
PKG_CONFIG  ?= pkg-config
AR          ?= ar

# Sanitizers find undefined behaviour with -O1 too, and the build takes half the time.
CFLAGS      ?= $(if $(SANITIZE),-O1,-O3) -g
# Flags that the code needs in addition to the user's CFLAGS.  The static and the shared library have the same objects:
# a program cannot replace the library's functions, and only those of the public headers are exported.
OWN_CFLAGS  := -std=c17 -D_GNU_SOURCE -Iinclude -Isrc -pthread -fno-math-errno \
               -fPIC -fvisibility=hidden -fno-semantic-interposition
WARNINGS    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
               -Wformat=2 -Wundef -Wpointer-arith -Wcast-qual -Wwrite-strings -include src/base/banned.h
ifdef WERROR
WARNINGS    += -Werror
endif

# `make V=1` prints the commands.
ifeq ($(V),)
Q := @
say = @printf '  %-4s %s\n' $(1) $@
endif

FLAVOUR     ?= release
ifdef SANITIZE
FLAVOUR     := $(if $(findstring thread,$(SANITIZE)),tsan,$(if $(findstring memory,$(SANITIZE)),msan,asan))
OWN_CFLAGS  += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
# A program without relocations starts in half the time, and tests start many.
OWN_LDFLAGS += -fsanitize=$(SANITIZE) -no-pie $(if $(findstring clang,$(CC)),,\
               $(if $(findstring thread,$(SANITIZE)),-static-libtsan,-static-libasan -static-libubsan))
endif
ifdef COVERAGE
FLAVOUR     := cov
OWN_CFLAGS  += --coverage -O0 -fprofile-update=atomic
OWN_LDFLAGS += --coverage
endif
ifdef STATIC
comma       := ,
STATIC_LIBS ?= build/static-$(ARCH)/libs
FLAVOUR     := static-$(ARCH)
# Optimize for size, except for FAST_MODULES below.  Nothing unwinds the stack.
OWN_CFLAGS  += -DMLS_STATIC -fno-pic -ffunction-sections -fdata-sections -fno-unwind-tables -fno-asynchronous-unwind-tables
OWN_LDFLAGS += -static -s -Wl,--gc-sections,-O2,-z,noseparate-code $(if $(filter aarch64,$(ARCH)),-Wl$(comma)-z$(comma)max-page-size=65536)
endif
B := build/$(FLAVOUR)

PACKAGES     := libcjson libpcre2-8
# Packages are looked up when a rule runs, as `make demo` may have to install them first.
# zlib is optional (`make ZLIB=` builds without it) and is needed to read gzip files.
ZLIB          = $(eval ZLIB := $$(shell $(PKG_CONFIG) --exists zlib 2>/dev/null && echo zlib))$(ZLIB)
PKG_CFLAGS    = $(eval PKG_CFLAGS := $$(shell $(PKG_CONFIG) --cflags $(PACKAGES) $(ZLIB) 2>/dev/null) $$(if $(ZLIB),-DMLS_HAVE_ZLIB))$(PKG_CFLAGS)
PKG_LIBS      = $(shell $(PKG_CONFIG) --libs $(PACKAGES) $(ZLIB) 2>/dev/null) -lcsv -lm -pthread

ifdef STATIC
PKG_CFLAGS   := -isystem $(STATIC_LIBS)/include -DMLS_HAVE_ZLIB
PKG_LIBS     := -L$(STATIC_LIBS)/lib -lcjson -lpcre2-8 -lz -lcsv -lm -pthread
FAST_MODULES := base json log rules run score
$(FAST_MODULES:%=$B/%/%.o): OWN_CFLAGS += -O2
endif

SOURCES     := $(sort $(wildcard src/*/*.c src/*/*/*.c))
CLI_SOURCES := $(wildcard src/cli/*.c)
LIB_SOURCES := $(filter-out $(CLI_SOURCES),$(SOURCES))
LIB_OBJECTS := $(LIB_SOURCES:src/%.c=$B/%.o) $B/data/files.o $B/data/table.o
CLI_OBJECTS := $(CLI_SOURCES:src/%.c=$B/%.o)
HEADERS     := $(wildcard include/mlscore/*.h)
VERSION     := $(shell sed -n 's/^\#define MLS_VERSION "\(.*\)"$$/\1/p' include/mlscore/version.h)
SONAME      := libmlscore.so.$(firstword $(subst ., ,$(VERSION)))
SHARED      := libmlscore.so.$(VERSION)

# Data files (rules, reference points, templates) are embedded unchanged.  `make DATA=folder round` builds
# build/release/round/mlscore from the same objects, with the data files of that folder.
DATA        ?= src/data
data_files   = $(sort $(shell find $(1) -type f \( -name '*.json' -o -name '*.csv' -o -name '*.table' -o -name '*.template' \
                 -o -name '*.css' -o -name '*.js' \)))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

.PHONY: all
all: $B/mlscore $B/libmlscore.a $(if $(SANITIZE),,$B/$(SHARED)) ## build build/release/mlscore, libmlscore.a and libmlscore.so (the default)

$B/mlscore: $(CLI_OBJECTS) $B/libmlscore.a
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(OWN_CFLAGS) $(LDFLAGS) $(OWN_LDFLAGS) -o $@ $(CLI_OBJECTS) $B/libmlscore.a $(PKG_LIBS)

$B/libmlscore.a: $(LIB_OBJECTS)
	@rm -f $@
	$(call say,AR)
	$(Q)$(AR) rcs $@ $(LIB_OBJECTS)

# A program linked with one version of the library runs with all later ones of the same major version.
$B/$(SHARED): $(LIB_OBJECTS)
	$(call say,LINK)
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs $(CFLAGS) $(OWN_CFLAGS) $(LDFLAGS) $(OWN_LDFLAGS) -o $@ $(LIB_OBJECTS) $(PKG_LIBS)

$B/%.o: src/%.c | $B/.packages
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(OWN_CFLAGS) $(WARNINGS) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

# One assembler file includes all data files.  One C table has their names, and for styles and scripts of HTML pages the
# hash that the page's Content-Security-Policy needs.
page_hash    = sha256sum < "$$f" | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64
ifdef STATIC
# Without indentation, which saves 40 kB, and with packed tables of runs, which saves 700 kB.
$B/embedded/.made: $(call data_files,src/data) Makefile
	@rm -rf $(@D) && mkdir -p $B && cp -r src/data $(@D) && find $(@D) -name '*.json' -exec sed -i 's/^[ \t]*//' {} + && \
	  for f in $(@D)/published/runs/*.table; do gzip -9nc "$$f" > "$$f.gz" && mv "$$f.gz" "$$f" || exit 1; done && touch $@
$B/data/files.S $B/data/table.c: EMBEDDED = $B/embedded
$B/data/files.S $B/data/table.c: $B/embedded/.made
else
$B/data/files.S $B/data/table.c: EMBEDDED = src/data
endif
$B/data/files.S $B/data/table.c: $(call data_files,src/data) Makefile
$B/round/files.S $B/round/table.c: EMBEDDED = $(DATA)
$B/round/files.S $B/round/table.c: $(if $(filter src/data,$(DATA)),,$(call data_files,$(DATA))) Makefile .FORCE
%/files.S:
	@mkdir -p $(@D)
	@{ i=0; echo '.section .rodata'; \
	   for f in $(call data_files,$(EMBEDDED)); do \
	     printf '.global mls_data_%d\n.hidden mls_data_%d\n.global mls_data_%d_end\n.hidden mls_data_%d_end\n.balign 16\nmls_data_%d: .incbin "%s"\nmls_data_%d_end: .byte 0\n' $$i $$i $$i $$i $$i "$$f" $$i; \
	     i=$$((i+1)); done; \
	   echo '.section .note.GNU-stack,"",%progbits'; } > $@
%/table.c:
	@mkdir -p $(@D)
	@{ i=0; echo '#include "base/data.h"'; \
	   for f in $(call data_files,$(EMBEDDED)); do printf 'extern const char mls_data_%d[], mls_data_%d_end[];\n' $$i $$i; i=$$((i+1)); done; \
	   echo 'const mls_data_file mls_data_files[] = {'; i=0; \
	   for f in $(call data_files,$(EMBEDDED)); do \
	     hash=; case $$f in *.css | *.js) hash=$$($(page_hash)) ;; esac; \
	     printf '    {"%s", mls_data_%d, mls_data_%d_end, "%s"},\n' "$${f#$(EMBEDDED)/}" $$i $$i "$$hash"; i=$$((i+1)); done; \
	   echo '    {0, 0, 0, 0}};'; } > $@
%/files.o: %/files.S
	$(Q)$(CC) -c -o $@ $<
%/table.o: %/table.c src/base/data.h
	$(Q)$(CC) $(CFLAGS) $(OWN_CFLAGS) -c -o $@ $<

# The data objects precede the library, so that the linker does not take the library's own.
.PHONY: round .FORCE
.FORCE:
round: $B/round/mlscore ## build build/release/round/mlscore with the data of DATA=folder (see src/data/README.md)
$B/round/mlscore: $(CLI_OBJECTS) $B/round/files.o $B/round/table.o $B/libmlscore.a
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(OWN_CFLAGS) $(LDFLAGS) $(OWN_LDFLAGS) -o $@ $^ $(PKG_LIBS)

# ---------------------------------------------------------------- packages

# Tests need cmocka, and Python to check the program's output.
DEB_PACKAGES := libcjson-dev libpcre2-dev libcsv-dev zlib1g-dev libcmocka-dev pkg-config python3
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: packages
packages: ## install missing packages that building needs (apt)
	@if ! $(PKG_CONFIG) --exists $(PACKAGES) cmocka 2>/dev/null || ! printf '#include <csv.h>\n' | $(CC) -E -x c - >/dev/null 2>&1 || \
	   ! command -v python3 >/dev/null 2>&1; then \
	   if command -v apt-get >/dev/null 2>&1; then \
	     echo "installing $(DEB_PACKAGES)"; \
	     $(SUDO) apt-get update -qq && DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends $(DEB_PACKAGES) >/dev/null; \
	   else \
	     echo "mlscore needs cJSON, PCRE2, libcsv, cmocka (with headers), pkg-config and python3; install them with your package manager" >&2; exit 1; \
	   fi; \
	 fi

ifdef STATIC
$B/.packages: $(STATIC_LIBS)/lib/libcmocka.a
	@mkdir -p $(@D) && touch $@
build/static-$(ARCH)/libs/lib/libcmocka.a:
	@sh packaging/static_libraries.sh $(ARCH) '$(CC)' build/static-$(ARCH)/libs
else
# Name a missing package instead of failing on its header.
$B/.packages:
	@mkdir -p $(@D)
	@$(PKG_CONFIG) --exists $(PACKAGES) || { echo "missing: $(PACKAGES); run 'make packages' (Debian, Ubuntu) or install cJSON and PCRE2 with headers" >&2; exit 1; }
	@printf '#include <csv.h>\n' | $(CC) -E -x c - >/dev/null 2>&1 || { echo "missing: libcsv; run 'make packages' (Debian, Ubuntu) or install libcsv with headers" >&2; exit 1; }
	@touch $@
endif

# ---------------------------------------------------------------- one file

MACHINE     := $(shell uname -m)
ARCH        ?= $(MACHINE)
STATIC_CC   ?= $(if $(filter $(MACHINE),$(ARCH)),$(CC),$(ARCH)-linux-gnu-gcc)
STATIC_GOAL ?= build/static-$(ARCH)/mlscore

.PHONY: static
static: ## build build/static-<ARCH>/mlscore, which runs on any Linux (ARCH=x86_64 or aarch64)
	+@$(MAKE) --no-print-directory STATIC=1 ARCH=$(ARCH) CC='$(STATIC_CC)' CFLAGS=-Oz $(STATIC_GOAL)

# ---------------------------------------------------------------- installation

# Written each time, as PREFIX may have changed.
.PHONY: $B/mlscore.pc
$B/mlscore.pc:
	@mkdir -p $(@D)
	@{ echo 'prefix=$(PREFIX)'; echo 'libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))'; \
	   echo 'includedir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(INCLUDEDIR))'; echo; \
	   echo 'Name: mlscore'; echo 'Description: verdicts and scores from MLPerf training logs'; \
	   echo 'Version: $(VERSION)'; echo 'Requires.private: $(PACKAGES) $(ZLIB)'; echo 'Cflags: -I$${includedir}'; \
	   echo 'Libs: -L$${libdir} -lmlscore'; echo 'Libs.private: -lcsv -lm -pthread'; } > $@

MAN_PAGES   := $(sort $(wildcard man/man*/*.[1-8]))
install_to   = $(INSTALL) -d '$(DESTDIR)$(2)' && $(INSTALL) -m $(3) $(1) '$(DESTDIR)$(2)/$(4)'

.PHONY: install
install: all $B/mlscore.pc ## install into DESTDIR/PREFIX (default PREFIX: /usr/local)
	$(call install_to,$B/mlscore,$(BINDIR),755,mlscore)
	$(call install_to,$B/libmlscore.a,$(LIBDIR),644,libmlscore.a)
	$(call install_to,$B/$(SHARED),$(LIBDIR),755,$(SHARED))
	ln -sf $(SHARED) '$(DESTDIR)$(LIBDIR)/$(SONAME)'
	ln -sf $(SONAME) '$(DESTDIR)$(LIBDIR)/libmlscore.so'
	$(call install_to,$B/mlscore.pc,$(LIBDIR)/pkgconfig,644,mlscore.pc)
	$(call install_to,$(HEADERS),$(INCLUDEDIR)/mlscore,644)
	@for page in $(MAN_PAGES); do \
	   section=man$${page##*.}; \
	   $(INSTALL) -d "$(DESTDIR)$(MANDIR)/$$section" && $(INSTALL) -m 644 "$$page" "$(DESTDIR)$(MANDIR)/$$section/" || exit 1; \
	 done
	@[ ! -f completions/mlscore.bash ] || { $(call install_to,completions/mlscore.bash,$(DATADIR)/bash-completion/completions,644,mlscore); }
	@[ ! -f completions/_mlscore ] || { $(call install_to,completions/_mlscore,$(DATADIR)/zsh/site-functions,644,_mlscore); }
	@[ ! -f completions/mlscore.fish ] || { $(call install_to,completions/mlscore.fish,$(DATADIR)/fish/vendor_completions.d,644,mlscore.fish); }

COMPLETIONS := bash-completion/completions/mlscore zsh/site-functions/_mlscore fish/vendor_completions.d/mlscore.fish

.PHONY: uninstall
uninstall: ## remove installed files (same PREFIX and DESTDIR as for install)
	rm -f '$(DESTDIR)$(BINDIR)/mlscore' '$(DESTDIR)$(LIBDIR)/pkgconfig/mlscore.pc' \
	  $(foreach library,libmlscore.a libmlscore.so $(SONAME) $(SHARED),'$(DESTDIR)$(LIBDIR)/$(library)') \
	  $(foreach page,$(MAN_PAGES),'$(DESTDIR)$(MANDIR)/$(page:man/%=%)') \
	  $(foreach file,$(COMPLETIONS),'$(DESTDIR)$(DATADIR)/$(file)') \
	  $(foreach header,$(HEADERS),'$(DESTDIR)$(INCLUDEDIR)/$(header:include/%=%)')
	@[ ! -d '$(DESTDIR)$(INCLUDEDIR)/mlscore' ] || rmdir '$(DESTDIR)$(INCLUDEDIR)/mlscore' 2>/dev/null || :

# An archive of the commit, with the same bytes every time.
.PHONY: dist
dist: ## write build/mlscore-VERSION.tar.gz, the sources of the last commit
	@mkdir -p build
	git archive --format=tar --prefix=mlscore-$(VERSION)/ HEAD | gzip -n -9 > build/mlscore-$(VERSION).tar.gz

.PHONY: deb
deb: dist ## build Debian packages of the last commit in build/deb
	@sh packaging/deb.sh build/mlscore-$(VERSION).tar.gz $(VERSION) build/deb

.PHONY: demo
demo: packages ## install missing packages, build, and summarize testdata/slurm
	@$(MAKE) --no-print-directory all
	build/release/mlscore testdata/slurm || [ $$? -eq 1 ]

# ---------------------------------------------------------------- tests

# Programs that only tests need.
TOOL_CFLAGS  = $(CPPFLAGS) $(CFLAGS) $(OWN_CFLAGS) $(WARNINGS) $(PKG_CFLAGS) -MMD -MP -MF $@.d
TOOL_LIBS    = $(LDFLAGS) $(OWN_LDFLAGS) $B/libcli.a $B/libmlscore.a $(PKG_LIBS)

UNIT_TESTS  := $(patsubst tests/unit/%.c,$B/unit/%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZERS     := $(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

# The commands without main(), for unit tests, for example of option tables.
$B/libcli.a: $(filter-out $B/cli/main.o,$(CLI_OBJECTS))
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$B/unit/%: tests/unit/%.c $B/libmlscore.a $B/libcli.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(TOOL_CFLAGS) -o $@ $< $(TOOL_LIBS) -lcmocka

# The log reader without SIMD and zlib, with which tests named …_plain are linked instead of the library's.
PLAIN_OBJECTS := $(patsubst src/%.c,$B/plain/%.o,$(sort $(wildcard src/log/*.c src/json/*.c)))
$B/plain/%.o: src/%.c | $B/.packages
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) -DMLS_SIMD_PLAIN -DMLS_NO_ZLIB $(CFLAGS) $(OWN_CFLAGS) $(WARNINGS) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<
# A static pattern, because make would prefer the implicit rule for all tests until the plain objects exist.
$(filter %_plain,$(UNIT_TESTS)): $B/unit/%_plain: tests/unit/%_plain.c $(PLAIN_OBJECTS) $B/libmlscore.a $B/libcli.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(TOOL_CFLAGS) -o $@ $< $(PLAIN_OBJECTS) $(TOOL_LIBS) -lcmocka

# A fuzzer's function with a main() that reads the files of its corpus.
$B/replay/%: tests/fuzz/%.c tests/fuzz/replay.c $B/libmlscore.a $B/libcli.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(TOOL_CFLAGS) -o $@ $< tests/fuzz/replay.c $(TOOL_LIBS)

$B/fault/shim.so: tests/fault/shim.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CPPFLAGS) -O2 -g -std=c17 -D_GNU_SOURCE $(WARNINGS) -shared -fPIC -o $@ $< -ldl

$B/testdata-generator: $(wildcard testdata/generator/*.c testdata/generator/*.h)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(OWN_CFLAGS) $(WARNINGS) $(LDFLAGS) $(OWN_LDFLAGS) -o $@ $(filter %.c,$^)

$B/bench/%: bench/%.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(OWN_CFLAGS) $(WARNINGS) $(LDFLAGS) $(OWN_LDFLAGS) -o $@ $<

# The programs that a suite needs besides the tool.
programs-units: $(UNIT_TESTS)
programs-replay: $(FUZZERS:%=$B/replay/%)
programs-testdata: $B/testdata-generator
programs-fault: $B/fault/shim.so
programs-watch: $B/fault/shim.so all
programs-growth: all $B/bench/measure
programs-%: all ; @:

.PHONY: check-programs
check-programs: programs-units programs-replay programs-testdata programs-fault programs-growth

# All suites, longest first.  The shim of fault and watch cannot be preloaded together with sanitizers; tests that do not
# depend on the build flavour run only once.
T ?= $(if $(SANITIZE),units cases submissions examples replay,fault hostile growth report watch merge units cases self docs submissions install packaging house round examples testdata replay)

.PHONY: check
check: packages ## build and run all tests, or only some: T='score-slurm test_run'
	+@MAKE='$(MAKE) --no-print-directory' sh tests/run_all.sh $B '$(T)'

# Debian packages.  The tests start their own daemons.
SLURM_PACKAGES := slurm-wlm slurmdbd mariadb-server munge prometheus
SLURM_PROGRAMS := slurmctld slurmdbd mariadbd munged promtool

.PHONY: check-slurm
check-slurm: all ## run tests/slurm on a real Slurm of two nodes that it sets up (as root; installs missing packages with apt)
	@PATH="$$PATH:/usr/sbin"; \
	 for program in $(SLURM_PROGRAMS); do command -v $$program >/dev/null 2>&1 || missing=1; done; \
	 if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	   echo "installing $(SLURM_PACKAGES)"; \
	   apt-get update -qq && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive \
	     apt-get install -y -qq --no-install-recommends $(SLURM_PACKAGES) >/dev/null; \
	 fi; \
	 exec bash tests/slurm/run.sh $B

# Install missing packages if run as root.  The scripts that need them report what is still missing.
INSTALL_MISSING = if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && ! dpkg -s $(1) >/dev/null 2>&1; then \
   apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(1) >/dev/null; \
 fi

# The browser, and the tools that control it; tests/browser pins their versions.
.PHONY: check-browser
check-browser: all ## test HTML pages in a browser (chromium, node, npm; installs missing packages with apt)
	@command -v chromium >/dev/null 2>&1 || { $(call INSTALL_MISSING,chromium); }
	@command -v npm >/dev/null 2>&1 || { $(call INSTALL_MISSING,nodejs npm); }
	@sh tests/browser/run.sh $B

STATIC_PACKAGES := dpkg-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
STATIC_SUITES   ?= units cases replay
STATIC_TESTS    := $(UNIT_TESTS:$B/%=%) $(FUZZERS:%=replay/%)

.PHONY: check-static
check-static: all ## run STATIC_SUITES ('units cases replay') with the static program for ARCH (with qemu-user for another machine)
	@$(call INSTALL_MISSING,$(STATIC_PACKAGES))
	+@$(MAKE) --no-print-directory static STATIC_GOAL='build/static-$(ARCH)/mlscore $(if $(STATIC_SUITES),$(STATIC_TESTS:%=build/static-$(ARCH)/%))'
	@sh tests/static/run.sh $(ARCH) $(STATIC_SUITES)

DEB_TOOLS := dpkg-dev debhelper lintian debootstrap

.PHONY: check-deb
check-deb: ## build Debian packages, then install and remove them on a clean system (as root: debootstrap)
	@$(call INSTALL_MISSING,$(DEB_TOOLS))
	@DEB_BUILD_OPTIONS='nocheck parallel=2' $(MAKE) --no-print-directory deb
	@sh tests/roots/deb.sh build/deb $(VERSION)

CLEAN_ROOTS ?= bookworm:gcc bookworm:clang testing:gcc testing:clang

.PHONY: check-roots
check-roots: ## run make demo and make check of the last commit on clean Debian systems (CLEAN_ROOTS; as root: debootstrap)
	@$(call INSTALL_MISSING,debootstrap)
	@sh tests/roots/run.sh $(CLEAN_ROOTS)

.PHONY: bless
bless: ## update the expected output of command cases and the list of findings (read the difference)
	@$(MAKE) --no-print-directory all
	@BLESS=1 sh tests/run_cases.sh $B
	@BLESS=1 sh tests/run_docs.sh $B

.PHONY: testdata
testdata: $B/testdata-generator ## regenerate testdata/slurm, logs, submission and throughput
	@mkdir -p testdata/slurm testdata/logs testdata/submission testdata/throughput
	$B/testdata-generator testdata

.PHONY: completions
completions: $B/mlscore ## regenerate completions/
	@mkdir -p completions
	$B/mlscore completion bash > completions/mlscore.bash
	$B/mlscore completion zsh > completions/_mlscore
	$B/mlscore completion fish > completions/mlscore.fish

# Build the fuzzers, and the tests with clang's sanitizers, from the same objects.  float-cast-overflow is not part of
# clang's "undefined".
CLANG_SANITIZERS := FLAVOUR=fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined,float-cast-overflow

.PHONY: check-clang
check-clang: ## run tests built by clang with its sanitizers (T as for check)
	+@$(MAKE) --no-print-directory $(CLANG_SANITIZERS) check

.PHONY: fuzz fuzzers
fuzz: ## build the fuzzers into build/fuzz (clang); build/fuzz/fuzz_<thing> tests/fuzz/corpus/<thing> runs one
	@$(MAKE) --no-print-directory $(CLANG_SANITIZERS) fuzzers

fuzzers: $(FUZZERS:%=$B/%)
build/fuzz/fuzz_%: tests/fuzz/fuzz_%.c build/fuzz/libmlscore.a build/fuzz/libcli.a
	$(call say,LINK)
	$(Q)$(CC) $(TOOL_CFLAGS) -fsanitize=fuzzer -o $@ $< $(TOOL_LIBS)

# Slow unit tests whose lines are covered by the others too.
COVERAGE_LONG   := config_script difference scan_reference verify_corpus
COVERAGE_SUITES ?= fault $(filter-out $(COVERAGE_LONG:%=test_%),$(notdir $(UNIT_TESTS))) cases watch merge submissions replay
COVERAGE_LINES ?= 92
COVERAGE_BRANCHES ?= 0

.PHONY: coverage
coverage: ## measure coverage of lines and branches by module (gcov); fails below COVERAGE_LINES=92 %
	@find build/cov -name '*.gcda' -delete 2>/dev/null || :
	@MANY_FILES=1000 $(MAKE) --no-print-directory COVERAGE=1 check T='$(COVERAGE_SUITES)'
	@python3 tests/coverage.py build/cov $(COVERAGE_LINES) $(COVERAGE_BRANCHES)

.PHONY: lint
lint: ## run clang-format, clang-tidy and cppcheck on all C files
	@sh tests/lint.sh $(OWN_CFLAGS) $(PKG_CFLAGS)

.PHONY: bench
bench: ## compare speed with cat, grep and wc (BENCH_MIB=1024, RUNS=5, BENCH=log|tree, BASELINE=other-mlscore)
	@$(MAKE) --no-print-directory all build/release/bench/generate build/release/bench/measure
	@sh bench/run.sh build/release $(BENCH)

# ---------------------------------------------------------------- the rest

.PHONY: clean
clean: ## remove build/
	rm -rf build

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {sub(/:.*/, "", $$1); printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  variables: CC, CFLAGS, LDFLAGS, PREFIX, DESTDIR, WERROR=1, SANITIZE=address,undefined|thread, COVERAGE=1"

-include $(wildcard $B/*/*.d $B/*/*/*.d)
