# tilecopy-repl: `make run` opens the program, `make test` tests it.
CC      ?= cc
BUILD   ?= build
PREFIX  ?= /usr/local
OPT     ?= -O2 -g
WARN    := -std=c17 -Wall -Wextra -Wpedantic -Wmissing-prototypes -Wshadow -Werror
CPPFLAGS_ALL := -Isrc -D_GNU_SOURCE $(if $(SAN),-DTC_RACE_CHECK) $(CPPFLAGS)
CFLAGS_ALL   := $(WARN) $(OPT) $(SAN) $(if $(SAN),-fPIC) $(CFLAGS)
LIBS    := -ljansson -lyaml -lseccomp -lcmark -ljq -ldl -lm
TUI     := -lreadline -lncursesw
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all \
            -fno-omit-frame-pointer

comma    := ,
JOBS     ?= $(shell nproc)
TEST_ENV := TILECOPY_CACHE=$(abspath $(BUILD)/cache)

LIB_SRC  := $(filter-out src/repl/% src/view/% src/runtime/stub/%, \
              $(wildcard src/*/*.c src/*/*/*.c))
MAIN_SRC := $(wildcard src/repl/*.c src/repl/*/*.c src/view/*.c)
TEST_SRC := $(filter-out tests/unit/repl/%, \
              $(wildcard tests/unit/*/test_*.c tests/unit/*/*/test_*.c))
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
MAIN_OBJ := $(MAIN_SRC:%.c=$(BUILD)/%.o)
TEST_OBJ := $(TEST_SRC:%.c=$(BUILD)/%.o)
TESTS    := $(addprefix $(BUILD)/tests/,$(notdir $(TEST_SRC:.c=)))
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
STUB_SRC := $(wildcard src/runtime/stub/*.c src/runtime/stub/*/*.c)
STUB_OBJ := $(STUB_SRC:%.c=$(BUILD)/%.o)

# Where a CUDA compiler of the project's own is put, and looked for.
TILECOPY_TOOLKIT ?= $(CURDIR)/toolkit
export TILECOPY_TOOLKIT

all: $(BUILD)/tilecopy-repl

$(BUILD)/tilecopy-repl: $(MAIN_OBJ) $(BUILD)/libtilecopy.a
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(TUI) $(LIBS)

$(BUILD)/libtilecopy.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(INCLUDE) $(EMBED) $(CFLAGS_ALL) $(LEVEL) \
	  -MMD -MP -c -o $@ $<

# The simulator's handlers, once for each instruction set (src/sim/fast/fast.h).
VECTOR_OPT := $(if $(SAN),,-O3) -ffp-contract=off
X86 := $(filter x86_64%,$(shell $(CC) -dumpmachine))
$(BUILD)/src/sim/fast/plain.o: LEVEL = $(VECTOR_OPT)
$(BUILD)/src/sim/fast/avx2.o: LEVEL = $(VECTOR_OPT) $(if $(X86),-mavx2 -mfma)
$(BUILD)/src/sim/fast/avx512.o: LEVEL = $(VECTOR_OPT) \
  $(if $(X86),-mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma)

# Its vectors are passed to nobody: all that has one is inlined.
$(BUILD)/src/sim/race/first_runs.o: LEVEL = -Wno-psabi

# tests/unit/ROOM/test_NAME.c becomes $(BUILD)/tests/test_NAME.
# What they share: tests/support.
SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support/*.c))
$(TEST_OBJ) $(SUPPORT): INCLUDE = -Itests/support
# Compiled for one run of a moment: optimised they take three times as long.
$(TEST_OBJ) $(SUPPORT): LEVEL = -O0 -g1
$(BUILD)/tests/support.a: $(SUPPORT)
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $^

$(foreach t,$(TEST_OBJ),$(eval $(BUILD)/tests/$(notdir $(t:.o=)): $(t)))
# The view, apart from its terminal.
$(BUILD)/tests/test_view: $(filter-out %/terminal.o %/view.o, \
  $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/view/*.c)))
# Under sanitizers a program with all of the library in it is 15 to 36 MB: they
# share one.
$(BUILD)/libtilecopy.so: $(LIB_OBJ)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -shared -Wl,-soname,$(@F) -o $@ $^ $(LIBS)
TEST_LIB := $(BUILD)/libtilecopy.$(if $(SAN),so,a)
$(TESTS): $(BUILD)/tests/support.a $(TEST_LIB)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
	  $(if $(SAN),$(TEST_LIB) -Wl$(comma)-rpath$(comma)'$$ORIGIN/..') \
	  -lcmocka -lz $(LIBS)

$(BUILD)/tests/page $(BUILD)/tests/run: $(BUILD)/tests/%: tests/harness/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $<

$(BUILD)/tests/programs: tests/harness/programs.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $< -ljansson

$(BUILD)/tests/pty $(BUILD)/tests/pty_exec $(BUILD)/tests/pty_gpu $(BUILD)/tests/pty_lesson \
$(BUILD)/tests/pty_interrupt: \
  $(BUILD)/tests/%: tests/repl/%.c tests/repl/terminal.c \
                    $(BUILD)/libtilecopy.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Itests/repl $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ -lutil

# The client's own parts, with a session of the tests' own in place of ours.
CLIENT_OBJ := $(patsubst %.c,$(BUILD)/%.o, \
  $(wildcard tests/unit/repl/*.c src/base/*.c src/base/*/*.c) \
  $(filter-out src/repl/main.c,$(wildcard src/repl/*.c src/repl/*/*.c)))
$(BUILD)/tests/test_client: $(CLIENT_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ -lreadline -lcmocka -lm

# What is linked into CUDA programs, in the place of cudart, and its bytes in
# our program. It runs in the learner's process: no sanitizer, nothing of ours.
# One object: whoever needs a part of it has no function of another cudart.
$(STUB_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) -Isrc -D_GNU_SOURCE $(WARN) -O2 -g0 -fPIC -fno-sanitize=all \
	  -MMD -MP -c -o $@ $<
$(BUILD)/libtcstub.a: $(STUB_OBJ) $(wildcard src/runtime/stub src/runtime/stub/api)
	@mkdir -p $(@D)
	@rm -f $@
	$(LD) -r -o $(BUILD)/tcstub.o $(STUB_OBJ)
	$(AR) rcs $@ $(BUILD)/tcstub.o
$(BUILD)/src/toolchain/embedded.o: $(BUILD)/libtcstub.a src/tools/toolkit.sh
$(BUILD)/src/toolchain/embedded.o: \
  EMBED = -DTC_STUB_ARCHIVE='"$(BUILD)/libtcstub.a"' \
          -DTC_TOOLKIT_SCRIPT='"src/tools/toolkit.sh"'

$(BUILD)/src/grade/kit.o: $(wildcard src/tools/kit/*) src/tools/toolkit.sh
$(BUILD)/src/grade/kit.o: EMBED = -DTC_KIT_FOLDER='"src/tools/kit"'

# The kernels that `calibrate` launches.
$(BUILD)/src/calibrate/kernels.o: $(wildcard src/calibrate/kernels/*.ptx)
$(BUILD)/src/calibrate/kernels.o: \
  EMBED = -DTC_CALIBRATE_KERNELS='"src/calibrate/kernels"'

# The loops that the simulator is set beside: no vectors.
$(BUILD)/scalar.o: tests/bench/scalar.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(WARN) -O1 -fno-tree-vectorize -c -o $@ $<

$(BUILD)/bench: $(filter-out %/scalar.c,$(wildcard tests/bench/*.c)) \
                $(BUILD)/scalar.o $(BUILD)/libtilecopy.a
	$(CC) $(CPPFLAGS_ALL) -Itests/bench $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ \
	  -lutil -lz $(LIBS)

# Launches a kernel on a GPU; for machines that have no more than the driver.
$(BUILD)/tools/ptx_host: tests/tools/ptx_host.c $(BUILD)/libtilecopy.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ -ldl -lm

# Tries a CUDA program's devices, on such a machine too.
$(BUILD)/tools/device_host $(BUILD)/tools/program_host: \
  $(BUILD)/tools/%: tests/tools/%.c $(BUILD)/libtilecopy.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ -ldl -lm

# Launches of a list on a GPU or in the simulator, and the two compared.
$(BUILD)/tools/measure: tests/tools/measure.c tests/tools/launch_file.c \
                        tests/tools/launch_file.h $(BUILD)/libtilecopy.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Itests/tools $(CFLAGS_ALL) $(LDFLAGS) -o $@ \
	  $(filter-out %.h,$^) -lseccomp -ldl -lm
$(BUILD)/tools/accuracy: tests/tools/accuracy.c tests/tools/accuracy_picture.c \
                         tests/tools/accuracy.h $(BUILD)/libtilecopy.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Itests/tools $(CFLAGS_ALL) $(LDFLAGS) -o $@ \
	  $(filter-out %.h,$^) -ljansson -lm

# The differential test of single instructions: kernels, and what runs them.
$(BUILD)/tools/alu_gen $(BUILD)/tools/alu_pack: \
  $(BUILD)/tools/%: tests/tools/%.c $(BUILD)/libtilecopy.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Itests/unit/sim/alu $(CFLAGS_ALL) $(LDFLAGS) -o $@ \
	  $^ -lz -lm
$(BUILD)/tools/alu_host: tests/tools/alu_host.c $(BUILD)/libtilecopy.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Itests/unit/sim/alu $(CFLAGS_ALL) $(LDFLAGS) -o $@ \
	  $^ -ldl -lm

# The same of sums of matrices; its compressed output is tests/gpu/mma-h200.gz.
$(BUILD)/tools/mma_host: tests/tools/mma_host.c $(BUILD)/libtilecopy.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Itests/unit/sim/isa $(CFLAGS_ALL) $(LDFLAGS) -o $@ \
	  $^ -ldl -lm

tools: $(BUILD)/tools/mma_host $(BUILD)/tools/ptx_host $(BUILD)/tools/device_host \
       $(BUILD)/tools/program_host $(BUILD)/tools/measure \
       $(BUILD)/tools/accuracy \
       $(BUILD)/tools/alu_gen $(BUILD)/tools/alu_host $(BUILD)/tools/alu_pack

# Makes calls fail, for tests/faults/faults.sh.
$(BUILD)/tests/faults.so: tests/faults/faults.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(WARN) -O1 -g -fPIC -shared -o $@ $< -ldl

# Every call of every class fails once.
faults: all $(BUILD)/tests/faults.so
	@sh tests/faults/faults.sh $(BUILD)/tilecopy-repl $(BUILD)/tests/faults.so

# --- what people type ---------------------------------------------------------

# Installs what is missing, builds, and opens the program on the first lesson's
# kernel; without a terminal it shows the kernel's tour instead.
run:
	@BUILD=$(BUILD) CC="$(CC)" sh src/tools/need.sh run
	@$(MAKE) -s -j2 all
	@$(BUILD)/tilecopy-repl --tour lessons/ldgsts.py

# The tests, twelve minutes on two cores where nothing is built: all but those
# that tests/harness/some.txt names with its reason, then again under ASan and UBSan
# but for what sanitized.txt names. test-all: those, too. What nvcc builds is built
# once for both passes.
test: TEST_LISTS = tests/harness/some.txt
test: SANITIZED_LISTS = tests/harness/some_sanitized.txt
test test-all:
	@BUILD=$(BUILD) CC="$(CC)" sh src/tools/need.sh test
	@$(TEST_ENV) MAKE="$(MAKE)" SANITIZE="$(SANITIZE)" SANITIZED_LISTS="$(SANITIZED_LISTS)" \
	  sh tests/harness/test.sh $(BUILD) $(BUILD)/work $(JOBS) $(TEST_LISTS)

test-build: all $(TESTS) $(BUILD)/tests/page $(BUILD)/tests/run \
            $(BUILD)/tests/pty $(BUILD)/tests/pty_lesson $(BUILD)/tests/pty_interrupt \
            $(BUILD)/tests/faults.so $(BUILD)/tests/pty_exec $(BUILD)/tests/pty_gpu \
            $(BUILD)/tests/programs $(BUILD)/tools/measure \
            $(BUILD)/tools/accuracy $(BUILD)/tests/test_client

# A CUDA compiler of the project's own, for machines without one: no root.
toolkit:
	@sh src/tools/toolkit.sh "$$TILECOPY_TOOLKIT"

# The plain build's tests alone; one unit test program: make unit-layout
test-plain: test-build
	@$(TEST_ENV) sh tests/harness/run.sh $(BUILD) $(BUILD)/work

unit-%: $(BUILD)/tests/test_%
	TILECOPY_PTXAS=none $<

# Rules of the source: one-way includes, sizes, format, nothing private.
check:
	@sh tests/tools/check_includes.sh
	@sh tests/tools/check_sizes.sh
	@sh tests/tools/check_heads.sh
	@sh tests/tools/check_tags.sh
	@sh tests/tools/check_private.sh
	@sh tests/tools/check_release.sh
	@sh tests/tools/check_environment.sh
	@sh tests/tools/check_format.sh

# The PTX and CUDA text of every copy of the corpus, judged by ptxas and nvcc.
conformance: $(BUILD)/tests/test_conformance $(BUILD)/tests/test_same_bytes
	@sh tests/tools/conformance.sh $<
	@TILECOPY_ALL=1 $(BUILD)/tests/test_same_bytes

bench: all $(BUILD)/bench
	@$(BUILD)/bench $(BUILD)/tilecopy-repl lessons/ldgsts.py

# A minute for each fuzz target (clang's libFuzzer).
FUZZ_SECONDS ?= 60
fuzz:
	@sh tests/fuzz/fuzz.sh $(BUILD)/fuzz $(FUZZ_SECONDS)

# Static pages of the lessons and the manual; pandoc makes them.
site: all
	@sh src/tools/site.sh $(BUILD)/tilecopy-repl $(BUILD)/site

# The program, lessons, exercises, man pages, completions: PREFIX and DESTDIR.
install: all
	@sh src/packaging/install.sh $(BUILD)/tilecopy-repl '$(DESTDIR)$(PREFIX)'

include src/packaging/rules.mk

clean:
	rm -rf $(BUILD)

.PHONY: all site faults tools run test test-all test-build test-plain toolkit check conformance bench \
        fuzz install clean
.SECONDARY:
-include $(STUB_OBJ:.o=.d) $(LIB_OBJ:.o=.d) $(MAIN_OBJ:.o=.d) $(TEST_OBJ:.o=.d) $(SUPPORT:.o=.d) $(CLIENT_OBJ:.o=.d)
