# The front door: every target does its own set-up, then hands over to CMake (CMakePresets.json) or a script in tools/.
PREFIX ?= /usr/local
DESTDIR ?=
SECONDS_EACH ?= 60
JOBS ?= $(shell nproc)

CTEST = ctest --output-on-failure --no-tests=error -j $(JOBS)

.NOTPARALLEL:
.PHONY: help setup build demo test test-no-onednn test-peers test-browser bench data fuzz python install clean

help:
	@echo 'make build      build/gbv and the library'
	@echo 'make demo       values five annotators of Fashion-MNIST and trains on them (results in build/demo)'
	@echo 'make test       every test, in the release build and again under AddressSanitizer and UBSan'
	@echo 'make test-no-onednn what concerns networks, in a build without oneDNN'
	@echo 'make test-peers networks beside PyTorch; exports and docs/beside.md with the packages they are for (PyPI)'
	@echo 'make test-browser reports in a headless Chromium; pictures of them in build/browser'
	@echo 'make bench      the benchmarks (bench/)'
	@echo 'make data       the data sets of experiments/ into GBV_DATA (default: ~/.cache/gbv/data)'
	@echo 'make fuzz       every reader under libFuzzer, SECONDS_EACH=$(SECONDS_EACH) seconds each'
	@echo 'make python     a wheel of the Python package with the library inside (build/python), type-checked and tried'
	@echo 'make install    into PREFIX=$(PREFIX), below DESTDIR if given'
	@echo 'make clean      removes build/'
	@echo 'Each of them installs the Debian packages it needs first; make setup does only that.'

setup:
	@tools/setup.sh

build: setup
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build build -j $(JOBS)

demo: build
	@tools/demo.sh

test: build
	@$(CTEST) --test-dir build
	@cmake --preset asan --log-level=WARNING >/dev/null
	@cmake --build build/asan -j $(JOBS)
	@$(CTEST) --test-dir build/asan

test-no-onednn: setup
	@cmake --preset no-onednn --log-level=WARNING >/dev/null
	@cmake --build build/no-onednn -j $(JOBS)
	@$(CTEST) --test-dir build/no-onednn -R '^(compute|nn)\.'

# The peers live in a virtual environment of their own, made anew when the list of them changes.
test-peers: build
	@tools/setup.sh peers
	@if [ ! build/peers/.ready -nt tests/peers/requirements.txt ] || \
	    [ ! build/peers/.ready -nt tests/peers/requirements_alone.txt ]; then \
	    rm -rf build/peers && python3 -m venv build/peers && \
	    build/peers/bin/pip install --quiet --disable-pip-version-check -r tests/peers/requirements.txt && \
	    build/peers/bin/pip install --quiet --disable-pip-version-check --no-deps \
	        -r tests/peers/requirements_alone.txt && \
	    touch build/peers/.ready; fi
	@$(CTEST) --test-dir build -C peers -L peers

test-browser: build
	@tools/setup.sh browser
	@$(CTEST) --test-dir build -C browser -L browser

bench: setup
	@tools/setup.sh bench
	@cmake --preset bench --log-level=WARNING >/dev/null
	@cmake --build build/bench -j $(JOBS)
	@bench/run.sh

data: setup
	@tools/data.py

fuzz: setup
	@tools/setup.sh fuzz
	@cmake --preset fuzz --log-level=WARNING >/dev/null
	@cmake --build build/fuzz -j $(JOBS)
	@tools/fuzz.sh $(SECONDS_EACH)

python: build
	@tools/setup.sh python
	@mypy --config-file python/pyproject.toml --cache-dir build/mypy --no-error-summary python/gbv
	@tools/make_wheel.py build/libgbv.so build/python
	@tools/try_wheel.sh build/python/*.whl

# A system-wide library is found by programs only after ldconfig; a staged or private one is left alone.
install: build
	@DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)'
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

clean:
	rm -rf build
