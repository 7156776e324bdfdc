"""What is proven, how deep, and on what."""
from dataclasses import dataclass


@dataclass
class Property:
    name: str
    what: str
    top: str
    files: list          # after the lists, relative to the root
    lists: list          # relative to rtl/
    depth: int           # clocks from reset
    parameters: dict
    defect_depth: int = 0  # clocks within which the planted defect must show; 0: as deep as the proof


CORE = [f"testbench/formal/formal_{name}.sv" for name in
        ("core_pkg", "port", "registers", "pc", "fetch", "traps", "liveness", "instruction", "core")]

PACKAGES = ["rtl/registers/nic_regs_pkg.sv", "rtl/nic/nic_pkg.sv"]


ARBITER = [*PACKAGES, "rtl/memory/nic_round_robin.sv", "rtl/memory/nic_sram_arbiter.sv", "testbench/formal/formal_arbiter.sv"]


def core(name, what, check, depth):
    return Property(name, what, "formal_core", CORE, ["core/core.f"], depth, {"Check": check})


PROPERTIES = [
    core("registers", "what is read is what was written last", 0, 10),
    core("pc", "instructions form a chain, from the boot address on", 1, 10),
    core("fetch", "what retires is what memory holds", 2, 10),
    core("traps", "what is illegal or misaligned traps, the rest does not, traps and interrupts go where mtvec says", 3, 10),
    core("liveness", "something retires within bounded time", 4, 20),
    core("upper", "lui, auipc", 10, 9),
    core("jump", "jal, jalr", 11, 9),
    core("branch", "branches", 12, 9),
    core("load", "loads", 13, 9),
    core("store", "stores", 14, 9),
    core("op_imm", "arithmetic with immediates", 15, 9),
    core("op", "arithmetic between registers", 16, 9),
    core("multiply", "mul of five-bit operands", 17, 9),
    Property("arbiter", "one grant at most, and every request within its bound", "formal_arbiter",
             ARBITER, [], 45, {}),
    Property("arbiter_pair", "the same with the ports of two cores", "formal_arbiter", ARBITER, [], 45, {"Ports": 9}),
    Property("semaphore", "one owner at most, who asked first, and nobody waits for nothing", "formal_semaphore",
             [*PACKAGES, "rtl/nic/nic_semaphore.sv", "testbench/formal/formal_semaphore.sv"], [], 30, {}),
]
