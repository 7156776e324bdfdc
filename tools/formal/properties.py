"""What is proven, how deep, and on what."""
from dataclasses import dataclass, field


@dataclass
class Property:
    name: str
    what: str
    top: str
    files: list          # after the lists, relative to the root
    lists: list          # relative to rtl/
    depth: int           # clocks from reset
    parameters: dict
    retires: int = 0     # so many instructions retire within the depth, at most one in a clock: searched for too
    defect_depth: int = 0  # clocks within which the planted defect must show; 0: as deep as the proof
    apart: int = 0       # clocks between predictions, at least
    instead: dict = field(default_factory=dict)  # files of the lists that others replace


CORE = [f"testbench/formal/formal_{name}.sv" for name in
        ("core_pkg", "port", "registers", "pc", "fetch", "traps", "liveness", "instruction",
         "dispatch", "interrupt", "debug", "core")]

PACKAGES = ["rtl/registers/nic_regs_pkg.sv", "rtl/nic/nic_pkg.sv"]


ARBITER = [*PACKAGES, "rtl/memory/nic_round_robin.sv", "rtl/memory/nic_sram_arbiter.sv", "testbench/formal/formal_arbiter.sv"]


ANY_PREDICTION = {"rtl/core/nic_core_predict.sv": "testbench/formal/formal_predict.sv"}


def core(name, what, check, depth, retires, apart=0, **parameters):
    return Property(name, what, "formal_core", CORE, ["core/core.f"], depth, {"Check": check, **parameters}, retires, apart=apart, instead=ANY_PREDICTION)


PROPERTIES = [
    core("registers", "what is read is what was written last", 0, 14, 8),
    core("pc", "instructions form a chain, from the boot address on", 1, 17, 11),
    core("fetch", "what retires is what memory holds", 2, 11, 5),
    core("traps", "what is illegal or misaligned traps, the rest does not, traps and interrupts go where mtvec says", 3, 19, 13),
    core("liveness", "something retires within bounded time", 4, 30, 0, apart=16),
    core("upper", "lui, auipc", 10, 18, 12),
    core("jump", "jal, jalr", 11, 15, 9),
    core("branch", "branches", 12, 15, 9),
    core("load", "loads", 13, 15, 9),
    core("store", "stores", 14, 15, 9),
    core("op_imm", "arithmetic with immediates", 15, 15, 9),
    core("op", "arithmetic between registers", 16, 15, 9),
    core("multiply", "mul of five-bit operands", 17, 15, 9),
    core("dispatch", "nic.dispatch goes to the handler written last for the event, and waits for one", 5, 16, 10),
    core("interrupt", "mepc is the instruction whose place was taken, mret leads back, dispatch and wfi give way", 6, 21, 11, Quiet=8, Preamble=1),
    core("debug", "a halt comes between two instructions, dpc is the next one", 7, 17, 11, Debug=1, Quiet=6),
    core("debug_resume", "dret leads to dpc", 7, 30, 7, Debug=1, Quiet=18, Halt=1),
    core("debug_step", "a step is one instruction or one trap", 7, 30, 1, Debug=1, Quiet=18, Halt=1, Steps=1),
    core("debug_registers", "registers outlive debug mode", 8, 26, 4, Debug=1, Quiet=22, Halt=6),
    core("debug_request", "a request to halt is obeyed within bounded time", 4, 36, 0, apart=16, Debug=1),
    Property("arbiter", "one grant at most, and every request within its bound", "formal_arbiter",
             ARBITER, [], 45, {}),
    Property("arbiter_pair", "the same with the ports of two cores", "formal_arbiter", ARBITER, [], 45, {"Ports": 9}),
    Property("semaphore", "one owner at most, who asked first, and nobody waits for nothing", "formal_semaphore",
             [*PACKAGES, "rtl/nic/nic_semaphore.sv", "testbench/formal/formal_semaphore.sv"], [], 30, {}),
]
