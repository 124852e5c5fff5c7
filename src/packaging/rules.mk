# rules.mk - packages: `make static`, `make deb`, `make wheel`, `make package-test`.
# src/packaging/README.md says what each gives.
PKG := $(BUILD)/package
VERSION = $(shell sed -n 's/^\#define TC_VERSION "\(.*\)"$$/\1/p' src/tilecopy.h)

# --- one program with all in it ----------------------------------------------
# It depends on the C library's parts alone. libjq is built where the system has no
# archive of it, and what includes its header is compiled with that one.
JQ := $(PKG)/libjq
$(JQ)/lib/libjq.a: src/packaging/libjq.sh
	@CC="$(CC)" sh src/packaging/libjq.sh $(JQ)

$(PKG)/query.o: src/course/query.c $(JQ)/lib/libjq.a
	$(CC) $(CPPFLAGS_ALL) -I$(JQ)/include $(CFLAGS_ALL) -c -o $@ $<

SHARED := $(shell find lessons exercises src/calibrate/profiles -type f)
$(PKG)/bundle.tar: $(SHARED) src/packaging/bundle.sh
	@mkdir -p $(@D)
	sh src/packaging/bundle.sh $@
$(PKG)/bundle.o: src/packaging/bundle.S $(PKG)/bundle.tar
	$(CC) -DTC_BUNDLE='"$(PKG)/bundle.tar"' -DTC_BUNDLE_NAME="\"$(VERSION)-$$(sha256sum \
	  <$(PKG)/bundle.tar | cut -c 1-12)\"" -c -o $@ $<

$(PKG)/tilecopy-repl: $(MAIN_OBJ) $(PKG)/query.o $(PKG)/bundle.o $(BUILD)/libtilecopy.a
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -s -static-libgcc -o $@ $^ -Wl,-Bstatic -lreadline \
	  -lncursesw -ltinfo -ljansson -lyaml -lseccomp -lcmark $(JQ)/lib/libjq.a \
	  $(JQ)/lib/libonig.a -Wl,-Bdynamic -ldl -lm

static: $(PKG)/tilecopy-repl

# --- a Debian package ----------------------------------------------------------
deb: all
	@sh src/packaging/deb.sh $(BUILD)/tilecopy-repl $(PKG)

# --- a wheel: pip install build/package/*.whl --------------------------------------
wheel: static
	@rm -f $(PKG)/*.whl
	@python3 src/packaging/wheel.py $(PKG)/tilecopy-repl $(PKG)

# Packages built, installed and run: minutes, and some hundred MB from mirrors.
package-test: static deb wheel
	@sh tests/package/test.sh $(PKG)

.PHONY: static deb wheel package-test
