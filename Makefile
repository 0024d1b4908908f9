.DEFAULT_GOAL := help
# Package.swift compiles the library optimised for the tests.
export RXBLUETOOTH_OPTIMISED := 1
.PHONY: help deps build build-tests demo test test-diagnostics test-clients test-bluez test-threads test-fresh conformance bench-rx count-rx bench-dbus count-dbus bench-cli bench-simulation stage install uninstall deb test-deb examples picture lint format docs fuzz fuzz-addresses fuzz-values test-values-peers bench-values count-values soak soak-bluez fleet

help: ## print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the missing Debian packages
	@scripts/deps

build: deps ## build the package
	@swift build

demo: deps ## build, then scan and connect on the simulation
	@scripts/demo

build-tests: deps ## build all tests, ble-cli and ble-gateway
	@scripts/quiet build .build/logs/build.log swift build --build-tests
	@scripts/quiet build .build/logs/demo.log swift build --product ble-cli
	@scripts/quiet build .build/logs/gateway-build.log swift build --product ble-gateway

test: deps ## run the unit and private-bus tests; no radio, no virtual machine
	@scripts/test

.PHONY: test-versions
test-versions: deps ## run the tests of RxBluetooth on the simulations of BlueZ 5.66 and 5.87
	@scripts/test-versions

test-diagnostics: deps ## check that the compiler reports typical mistakes on their own lines
	@scripts/test-diagnostics

test-clients: deps ## run Bleak, SimpleBLE, habluetooth, GDBus, bluetoothctl and busctl on `ble-cli simulate`; needs the network for the first run
	@scripts/test-clients

.PHONY: test-gateway
test-gateway: deps ## run ble-gateway with a real mosquitto, also in the virtual machine, and kill it at each write point of its store
	@scripts/test-gateway

test-values-peers: deps ## compare 100,000 decoded payloads a format with TheengsDecoder, bthome-ble and thirteen other decoders; PAYLOADS=1000 for fewer; needs the network for the first run
	@scripts/test-values-peers supplement
	@scripts/test-values-peers $(or $(PAYLOADS),100000)

test-bluez: deps ## run the end-to-end and conformance tests on a real bluetoothd in a virtual machine; BLUEZ=5.66, 5.82 (default), 5.87 or all; FILTER=ConformanceTests for some of them
	@BLUEZ="$(BLUEZ)" scripts/test-bluez $(if $(FILTER),'$(FILTER)')

.PHONY: test-bluez-versions
test-bluez-versions: deps ## run those of these tests on BlueZ 5.66 and 5.87 whose behaviour differs between versions
	@BLUEZ="$(or $(BLUEZ),5.66 5.87)" scripts/test-bluez --chosen

conformance: deps ## compare the simulation with the real bluetoothd; writes docs/conformance.md; BLUEZ=5.87 runs only this version again
	@scripts/conformance $(filter-out all,$(BLUEZ))

test-threads: deps ## run the in-process tests of `make test` with the thread sanitizer
	@scripts/quiet build .build/logs/thread-build.log swift build --build-tests --sanitize=thread --scratch-path .build/thread
	@COUNTED_LOG=.build/logs/thread.log scripts/counted swift test --skip-build --sanitize=thread --scratch-path .build/thread

test-fresh: ## run both commands of the README in a clean Debian 12, as root and as a user; needs root, takes long
	@scripts/test-fresh

fuzz: deps ## pass ten million mutated D-Bus messages, and as many packets, to all code that reads them
	@swift build -c release --product fuzz && .build/release/fuzz --packets --count 10000000 && .build/release/fuzz --count 10000000 --jobs $$(nproc)

fuzz-addresses: deps ## pass a million messages, with the address sanitizer
	@swift build -c release --product fuzz --sanitize=address --scratch-path .build/address
	@ASAN_OPTIONS=detect_leaks=0 .build/address/release/fuzz --count 1000000 --jobs $$(nproc)

fuzz-values: deps ## encode and decode a million random values of each format and characteristic, and decode twenty million random payloads
	@VALUES_ROUNDS=1000000 swift test -c release -Xswiftc -enable-testing --scratch-path .build/values --filter BluetoothValuesTests

fleet: deps ## run an hour of 100 gateways and 10,000 devices in virtual time, twice; SEED=2 for another building
	@swift build -c release --product fleet && .build/release/fleet 100 10000 3600 $(or $(SEED),1)

soak: deps ## run ten thousand cycles of a gateway with one manager and random faults; SEED=2 for other faults
	@swift build --build-tests && RXBLUETOOTH_SOAK=10000 RXBLUETOOTH_SOAK_SEED=$(or $(SEED),1) swift test --skip-build --no-parallel --filter 'SoakTests.*Soak|CycleTests'

.PHONY: soak-gateway
soak-gateway: deps ## simulate 30 days of random faults of an adapter a thousand times, and 10 minutes of a sender with 50,000 addresses
	@RXBLUETOOTH_GATEWAY_ATTACK=1 RXBLUETOOTH_GATEWAY_RUNS=$(or $(RUNS),1000) swift test -c release -Xswiftc -enable-testing --scratch-path .build/values --no-parallel --filter 'GatewayTests\.(Recovery(Model|Soak)|AdapterSupervisor|RotatingAddress)Tests'

soak-bluez: deps ## run two hundred cycles of the soak on the real bluetoothd in the virtual machine
	@RXBLUETOOTH_SOAK=200 RXBLUETOOTH_LAB_LIMIT=3600 scripts/test-bluez 'BlueZTests\.LabTests/SoakTests'

bench-rx: deps ## measure the cost of one Rx event in nanoseconds
	@cd Benchmarks && swift build -c release --product rxbench && .build/release/rxbench

count-rx: deps ## measure the cost of one Rx event in instructions and allocations; fails above a limit (needs valgrind)
	@Benchmarks/count

bench-values: deps ## measure the cost of decoding one advertisement in nanoseconds, beside TheengsDecoder and bthome-ble; fails above a limit
	@Benchmarks/values bench

count-values: deps ## measure the same in instructions and allocations; fails above a limit (needs valgrind)
	@Benchmarks/values count

bench-dbus: deps ## measure the CPU time of one signal of bluetoothd, relative to a bare libdbus receiver
	@Benchmarks/dbus bench

count-dbus: deps ## measure the same in instructions; fails above a limit (needs valgrind)
	@Benchmarks/dbus count

bench-cli: deps ## measure the size, memory and start of a static ble-cli next to bluetoothctl; fails above a limit
	@Benchmarks/cli

.PHONY: mutated-files
mutated-files: deps ## pass 1,000 mutated scenarios, configurations and captures, and captures of 200 MB, to the commands that read them; fails above 2 s or 64 MB; COUNT=100 LARGE=80 for fewer files and 80 MB
	@[ -n "$${RXBLUETOOTH_BUILT-}" ] || { swift build --product ble-cli && swift build --product ble-gateway; }
	@scripts/mutated-files --count $(or $(COUNT),1000) --large $(or $(LARGE),200)

.PHONY: bench-top
bench-top: deps ## measure the CPU time and memory of ble-cli top with 2,000 devices and 5,000 advertisements a second; fails above a limit
	@swift build -c release --product ble-cli && Benchmarks/top

.PHONY: soak-outages
soak-outages: deps ## run ble-gateway for 21 minutes with outages of a real mosquitto and of bluetoothd; fails above a limit
	@scripts/packages mosquitto mosquitto-clients
	@scripts/static --product ble-gateway && Benchmarks/gateway-soak $(MINUTES)

.PHONY: bench-gateway
bench-gateway: deps ## measure the CPU time, memory and lost readings of ble-gateway next to Theengs Gateway; fails above a limit; needs the network for the first run
	@scripts/static --product ble-gateway && Benchmarks/gateway

bench-simulation: deps ## measure how long it takes to simulate ten minutes with 600,000 advertisements
	@cd Benchmarks && swift build -c release --product simbench && .build/release/simbench && .build/release/simbench crowd

# Where make install writes: $(DESTDIR)$(PREFIX). DESTDIR is for packagers.
PREFIX ?= /usr/local
DESTDIR ?=

stage: deps ## build what an installation contains, in .build/stage: the static ble-cli, manual pages, completions
	@scripts/stage

install: ## install what `make stage` has built; PREFIX=/usr/local, DESTDIR=
	@scripts/install "$(PREFIX)" "$(DESTDIR)"

uninstall: ## remove what `make install` has installed
	@scripts/install --remove "$(PREFIX)" "$(DESTDIR)"

deb: deps ## build the Debian packages of ble-cli and ble-gateway for this machine in .build, and check them with lintian
	@scripts/deb

.PHONY: packages
packages: ## build the Debian packages for bookworm, trixie and sid, amd64 and arm64, in .build/packages; ONLY=trixie-arm64 builds some; needs the network for the first run
	@scripts/all-debs $(ONLY)

.PHONY: repository
repository: ## make a signed repository for apt of these packages in .build/repository: KEY=FINGERPRINT of a key of gpg; ADDRESS=https://… of its place
	@ADDRESS="$(ADDRESS)" scripts/repository "$(KEY)"

.PHONY: arm64
arm64: ## build the static programs and all tests for arm64 with Debian's Swift, on amd64; needs the network for the first run; ARM64_RELEASE=bookworm builds the programs for Debian 12
	@scripts/arm64

.PHONY: test-arm64
test-arm64: ## run the unit tests on an emulated arm64, with the bus, the mosquitto and the SQLite of Debian 13; SUITE=DBusTests runs one
	@scripts/test-arm64 $(SUITE)

.PHONY: smoke-arm64
smoke-arm64: ## run the static programs for arm64 in a virtual machine with Debian 13 and pages of 16 KiB, on simulated devices
	@scripts/smoke-arm64

test-deb: deps ## install the package in a clean Debian 12, and test it there; needs root
	@scripts/test-deb

.PHONY: release
release: deps ## check the tree, and prepare packages, checksums and notes of VERSION=1.0.0 in .build/publish; publishes nothing
	@scripts/release "$(VERSION)"

.PHONY: test-dependency
test-dependency: deps ## check that other packages can depend on a version of this package; compiles nothing
	@scripts/test-dependency

examples: deps ## build and test the package Examples, and run its programs on simulated devices
	@scripts/examples

picture: deps ## write docs/images/scan.svg and top.svg, the pictures of the documentation, from real runs in tmux
	@scripts/packages tmux
	@scripts/quiet build .build/logs/demo.log swift build --product ble-cli
	@scripts/terminal-picture docs/images/scan.svg 96x9 3.5 "ble-cli scan --simulate" "$$(swift build --show-bin-path)/ble-cli" scan --simulate
	@scripts/terminal-picture docs/images/top.svg 140x22 12 "ble-cli top --scenario showroom" "$$(swift build --show-bin-path)/ble-cli" top --scenario showroom

sources := Package.swift Sources Mocks Tests Benchmarks/Package.swift Benchmarks/Sources Examples

lint: ## check the format, the imports between modules, the files named in docs/architecture.md, the style of texts, and that no conflict marker is left
	@swift format lint --strict --recursive --parallel $(sources)
	@scripts/layers
	@scripts/architecture
	@scripts/prose

docs: deps ## build the documentation of all modules into .build/docs; a warning, or a member that no article names, is an error
	@scripts/docs build

format: ## format the Swift files in place
	@swift format --in-place --recursive --parallel $(sources)
