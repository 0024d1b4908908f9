.DEFAULT_GOAL := help
.PHONY: help deps build demo test test-diagnostics test-clients test-bluez test-threads test-fresh conformance bench-rx count-rx bench-dbus count-dbus bench-simulation lint format fuzz fuzz-addresses soak soak-bluez

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the Debian packages that are missing
	@scripts/deps

build: deps ## build the package
	@swift build

demo: deps ## build, then scan and connect on the simulation
	@scripts/demo

test: deps ## unit and private-bus tests; no radio, no virtual machine
	@scripts/test

test-diagnostics: deps ## whether the compiler reports typical mistakes on the line where they are
	@scripts/test-diagnostics

test-clients: deps ## Bleak, SimpleBLE, habluetooth, GDBus, bluetoothctl and busctl on `ble-cli simulate`; needs the network the first time
	@scripts/test-clients

test-bluez: deps ## end-to-end and conformance tests, on a real bluetoothd in a virtual machine
	@scripts/test-bluez

conformance: deps ## the simulation beside the real bluetoothd: writes docs/conformance.md
	@scripts/conformance

test-threads: deps ## what `make test` runs in one process, under the thread sanitizer
	@scripts/quiet build .build/logs/thread-build.log swift build --build-tests --sanitize=thread --scratch-path .build/thread
	@COUNTED_LOG=.build/logs/thread.log scripts/counted swift test --skip-build --sanitize=thread --scratch-path .build/thread

test-fresh: ## both commands of the README in a clean Debian 12, as root and as a user; needs root, takes long
	@scripts/test-fresh

fuzz: deps ## ten million mutated D-Bus messages to everything that reads them
	@swift build -c release --product fuzz && .build/release/fuzz --count 10000000 --jobs $$(nproc)

fuzz-addresses: deps ## the same with a million, under the address sanitizer
	@swift build -c release --product fuzz --sanitize=address --scratch-path .build/address
	@ASAN_OPTIONS=detect_leaks=0 .build/address/release/fuzz --count 1000000 --jobs $$(nproc)

soak: deps ## ten thousand cycles of a gateway with one manager, while things go wrong at random; SEED=2 for others
	@swift build --build-tests && RXBLUETOOTH_SOAK=10000 RXBLUETOOTH_SOAK_SEED=$(or $(SEED),1) swift test --skip-build --no-parallel --filter 'SoakTests.*Soak|CycleTests'

soak-bluez: deps ## two hundred cycles on the real bluetoothd in the virtual machine
	@RXBLUETOOTH_SOAK=200 RXBLUETOOTH_LAB_LIMIT=3600 scripts/test-bluez 'BlueZTests\.LabTests/SoakTests'

bench-rx: deps ## what one event of Rx costs, in nanoseconds
	@cd Benchmarks && swift build -c release --product rxbench && .build/release/rxbench

count-rx: deps ## what one event of Rx costs, in instructions and allocations; fails above a limit (needs valgrind)
	@Benchmarks/count

bench-dbus: deps ## CPU time a signal of bluetoothd costs, as a ratio to a bare libdbus receiver in the same run
	@Benchmarks/dbus bench

count-dbus: deps ## the same in instructions; fails above a limit (needs valgrind)
	@Benchmarks/dbus count

bench-simulation: deps ## ten simulated minutes of 600,000 advertisements against the clock
	@cd Benchmarks && swift build -c release --product simbench && .build/release/simbench && .build/release/simbench crowd

sources := Package.swift Sources Mocks Tests Benchmarks/Package.swift Benchmarks/Sources

# The folders that follow docs/style.md. Without folders, scripts/prose checks all.
prose := Sources/DBus Sources/Rx Sources/RxDeprecated Sources/RxFoundation Sources/RxTest Sources/ScenarioFiles Sources/Support \
  Sources/ble-cli Mocks Tests/BLECLITests Tests/DBusTests Tests/MocksTests Tests/RxTests Tests/ScenarioFilesTests

lint: ## check the format of the Swift files, the walls between modules, and the style of comments and texts
	@swift format lint --strict --recursive --parallel $(sources)
	@scripts/layers
	@scripts/prose $(prose)

format: ## format the Swift files in place
	@swift format --in-place --recursive --parallel $(sources)
