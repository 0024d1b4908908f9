"""Becomes another program in which signals work: a test's thread blocks them, and its children inherit that."""

import os
import signal
import sys

signal.pthread_sigmask(signal.SIG_SETMASK, [])
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
