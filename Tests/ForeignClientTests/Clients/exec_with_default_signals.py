"""Executes a program with unblocked signals: the threads of the tests block signals, and children inherit that."""

import os
import signal
import sys

signal.pthread_sigmask(signal.SIG_SETMASK, [])
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
