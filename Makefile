# tilecopy-repl: `make run` opens the program, `make test` tests it.
CC      ?= cc
BUILD   ?= build
PREFIX  ?= /usr/local
OPT     ?= -O2 -g
WARN    := -std=c17 -Wall -Wextra -Wpedantic -Werror
CPPFLAGS_ALL := -Isrc -D_GNU_SOURCE $(CPPFLAGS)
CFLAGS_ALL   := $(WARN) $(OPT) $(SAN) $(CFLAGS)
LIBS    := -ljansson -ldl -lm
TUI     := -lreadline -lncursesw

LIB_SRC  := $(filter-out src/repl/% src/view/%,$(wildcard src/*/*.c))
MAIN_SRC := $(wildcard src/repl/*.c src/view/*.c)
TEST_SRC := $(wildcard tests/unit/test_*.c)
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
MAIN_OBJ := $(MAIN_SRC:%.c=$(BUILD)/%.o)
TESTS    := $(TEST_SRC:tests/unit/%.c=$(BUILD)/tests/%)

all: $(BUILD)/tilecopy-repl

$(BUILD)/tilecopy-repl: $(MAIN_OBJ) $(BUILD)/libtilecopy.a
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(TUI) $(LIBS)

$(BUILD)/libtilecopy.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libtilecopy.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Itests/unit $(CFLAGS_ALL) $(LDFLAGS) -MMD -MP -o $@ $< $(BUILD)/libtilecopy.a -lcmocka -lz $(LIBS)

# One unit test program: make unit-layout
unit-%: $(BUILD)/tests/test_%
	$<

clean:
	rm -rf $(BUILD)

.PHONY: all clean
.SECONDARY:
-include $(LIB_OBJ:.o=.d) $(MAIN_OBJ:.o=.d) $(TESTS:=.d)
