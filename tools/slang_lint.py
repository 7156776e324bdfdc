"""Reads the RTL with slang, a second front end that is stricter than Verilator's about the language; any finding fails."""
import sys

from pyslang import driver

# A default in a `unique case` states what the hardware does with values that cannot come; we want both.
OPTIONS = "-f nic/nic.f --top nic_top -Wextra -Wno-case-redundant-default -Werror"

slang = driver.Driver()
slang.addStandardArgs()
if not (slang.parseCommandLine(f"slang {OPTIONS}") and slang.processOptions() and slang.parseAllSources()):
    sys.exit(1)
slang.reportCompilation(slang.createCompilation(), True)
sys.exit(0 if slang.reportDiagnostics(True) else 1)
