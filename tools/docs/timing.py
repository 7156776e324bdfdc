#!/usr/bin/env python3
"""Records the diagrams of docs/timing.md again, and names those that the page does not have.

    timing.py RUN_64 RUN_1024

The arguments are the folders of two runs of `nicscope run ping-pong --set platforms=tigon2`, with
messages of 64 and of 1024 bytes; `make timing` makes them. Each diagram is found by an edge of a
signal, so it stays the same when times shift. The diagrams of the debug port are not among them:
no run enters debug mode.
"""

import argparse
import bisect
import dataclasses
import pathlib
import sys
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = "docs/timing.md"
CORE = "gen_core[0].u_core.u_core."


class Waves:
    """Signals of one NIC, by their names below `nic_top`, from an FST file."""

    def __init__(self, file: pathlib.Path):
        import pywellen  # of tools/docs/requirements.txt; the tests do without

        self.variables = {v.full_name: v for v in pywellen.Waveform(str(file)).all_vars()}
        self.known: dict[str, list[tuple[int, int]]] = {}

    def changes(self, name: str) -> list[tuple[int, int]]:
        """Times in ps and values, in order."""
        if name not in self.known:
            variable = self.variables["TOP.nic_top." + name]
            self.known[name] = [(time, int(value)) for time, value in variable.tv]
        return self.known[name]

    def value(self, name: str, edge: int) -> int:
        """What a rising edge at this time samples."""
        changes = self.changes(name)
        at = bisect.bisect_left(changes, edge, key=lambda change: change[0]) - 1
        return changes[at][1] if at >= 0 else 0

    def edges(self, clock: str) -> list[int]:
        """Times of the rising edges of a clock."""
        return [time for time, value in self.changes(clock) if value == 1]


# A line of a diagram: its character for the clock that ends with edges[at].
Line = Callable[[Waves, list[int], int], str]


def level(signal: str, bit: int = 0) -> Line:
    """One bit of a signal."""
    return lambda waves, edges, at: "-" if waves.value(signal, edges[at]) >> bit & 1 else "_"


def access(waves: Waves, edges: list[int], at: int) -> str:
    """Where the core's data access goes, in the clock of its request."""
    if not waves.value(CORE + "data_req_o", edges[at]):
        return "."
    return {1: "S", 2: "P", 4: "R"}[waves.value(CORE + "data_addr_o", edges[at]) >> 28]


def register_access(waves: Waves, edges: list[int], at: int) -> str:
    """Whether the core reads or writes a register."""
    if not waves.value("core_reg_req", edges[at]):
        return "."
    return "W" if waves.value("u_registers.core_access_i[0].we", edges[at]) else "R"


def register_data(waves: Waves, edges: list[int], at: int) -> str:
    """Whether read data are on the register bus."""
    return "D" if waves.value("u_registers.rdata_o", edges[at]) else "0"


def address_data(waves: Waves, edges: list[int], at: int) -> str:
    """An address, or data that move, on the PCI bus."""
    low = [not waves.value(f"pci_{name}_ni", edges[at]) for name in ("frame", "irdy", "trdy")]
    if low[0] and waves.value("pci_frame_ni", edges[at - 1]):
        return "A"
    return "D" if low[1] and low[2] else "."


def gmii(enable: str, data: str) -> Line:
    """Preamble, delimiter, data and FCS on GMII; `?` is a byte that may not stand there."""

    def line(waves: Waves, edges: list[int], at: int) -> str:
        if not waves.value(enable, edges[at]):
            return "."
        before = 0
        while before < 8 and waves.value(enable, edges[at - 1 - before]):
            before += 1
        if before < 8:
            wanted, letter = (0xD5, "S") if before == 7 else (0x55, "P")
            return letter if waves.value(data, edges[at]) == wanted else "?"
        return "D" if waves.value(enable, edges[at + 4]) else "F"

    return line


def pci(*names: str) -> dict[str, Line]:
    """Lines of the PCI bus, and what AD carries."""
    signals = {"REQ": "pci_req_no", "GNT": "pci_gnt_ni"}
    lines = {name + "#": level(signals.get(name, f"pci_{name.lower()}_ni")) for name in names}
    return {**lines, "AD": address_data}


@dataclasses.dataclass
class Diagram:
    """One code block of the page."""

    what: str
    run: int                       # 0: messages of 64 bytes, 1: of 1024 bytes
    node: int
    clock: str
    # It begins `clocks` before the edge at which the signal takes this value for the nth time.
    signal: str
    to: int
    nth: int
    clocks: int
    columns: int
    lines: dict[str, Line]

    def start(self, waves: Waves) -> tuple[list[int], int]:
        """Edges of the clock, and which of them ends clock 0."""
        edges = waves.edges(self.clock)
        times = [time for time, value in waves.changes(self.signal) if value == self.to]
        return edges, bisect.bisect_left(edges, times[self.nth]) - self.clocks

    def draw(self, waves: Waves) -> str:
        edges, start = self.start(waves)
        width = max(map(len, ["clock", *self.lines])) + 2
        ruler = "".join(f"{n:<5}" for n in range(0, self.columns, 5)).rstrip()
        rows = [f"{name:<{width}}" + "".join(line(waves, edges, start + n)
                                             for n in range(self.columns))
                for name, line in self.lines.items()]
        return "\n".join([f"{'clock':<{width}}{ruler}", *rows]) + "\n"


def signals(prefix: str, *names: str) -> dict[str, Line]:
    """Lines that are called like their signals."""
    return {name: level(prefix + name) for name in names}


TARGET = pci("FRAME", "IRDY", "DEVSEL", "TRDY", "STOP")
MASTER = pci("REQ", "GNT", "FRAME", "IRDY", "DEVSEL", "TRDY", "STOP", "REQ64", "ACK64")
SRAM_PORT = ("sram_req_o", "sram_gnt_i", "sram_rvalid_i")
COMMAND = {"cmd_valid_o": "cmd_valid", "cmd_ready_i": "cmd_ready"}


def command(engine: str) -> dict[str, Line]:
    """The command port of a DMA engine."""
    return {name: level(f"dma_{engine}_{signal}") for name, signal in COMMAND.items()}


DIAGRAMS = [
    Diagram("SRAM port", 1, 0, "clk_core_i", "gmii_tx_en_o", 1, 0, 6, 14, {
        f"{name} {signal}": level(f"sram_{signal}", port)
        for name, port in (("tx", 1), ("core", 4)) for signal in ("req", "gnt", "rvalid")}),
    Diagram("core data port", 0, 0, "clk_core_i", "core_reg_req", 1, 1, 2, 16, {
        "access": access,
        **signals(CORE, "data_req_o", "data_gnt_i", "data_we_o", "data_rvalid_i", "data_slow_i"),
        "register bus req": level("core_reg_req"), "register bus gnt": level("core_reg_gnt"),
        "SRAM ahead": level("sram_ahead"),
        "SRAM port req": level("sram_req", 4), "SRAM port gnt": level("sram_gnt", 4)}),
    Diagram("register bus", 0, 0, "clk_core_i", "core_reg_req", 1, 3, 1, 10, {
        "core req": level("core_reg_req"), "core gnt": level("core_reg_gnt"),
        "access": register_access, "rdata": register_data}),
    Diagram("host-read DMA engine", 0, 0, "clk_core_i", "dma_read_cmd_valid", 1, 0, 4, 52, {
        "reg_sel_i": level("dma_read_sel"), **signals("u_dma_read.", *SRAM_PORT),
        **command("read"),
        "beat_valid_i": level("dma_read_beat_valid"), "beat_ready_o": level("dma_read_beat_ready"),
        **signals("u_dma_read.", "probe_start_o", "probe_done_o")}),
    Diagram("host-write DMA engine", 0, 0, "clk_core_i", "dma_write_cmd_valid", 1, 0, 5, 52, {
        "reg_sel_i": level("dma_write_sel"), **signals("u_dma_write.", *SRAM_PORT),
        **command("write"),
        "data_valid_o": level("dma_write_data_valid"),
        "data_ready_i": level("dma_write_data_ready"),
        "done_valid_i": level("dma_write_done_valid"),
        "event_done_o": level("u_dma_write.event_done_o")}),
    Diagram("posted write", 0, 0, "clk_pci_i", "pci_frame_ni", 0, 1, 4, 20, TARGET),
    Diagram("delayed read", 0, 1, "clk_pci_i", "pci_frame_ni", 0, 2, 3, 20, TARGET),
    Diagram("access of a delayed read", 0, 1, "clk_core_i", "host_req_valid", 1, 0, 3, 14, {
        "host_req_valid": level("host_req_valid"), "host_req_ready": level("host_req_ready"),
        "register bus gnt": level("host_reg_gnt"), "host_rsp_valid": level("host_rsp_valid")}),
    Diagram("DMA write", 0, 0, "clk_pci_i", "pci_frame_ni", 0, 0, 7, 18, MASTER),
    Diagram("DMA read", 0, 0, "clk_pci_i", "pci_frame_ni", 0, 3, 7, 28, MASTER),
    Diagram("beginning of a sent frame", 0, 0, "clk_gmii_tx_i", "gmii_tx_en_o", 1, 0, 3, 20, {
        "TX_EN": level("gmii_tx_en_o"), "TX_ER": level("gmii_tx_er_o"),
        "TXD": gmii("gmii_tx_en_o", "gmii_txd_o")}),
    Diagram("end of a sent frame", 0, 0, "clk_gmii_tx_i", "gmii_tx_en_o", 0, 1, 7, 20, {
        "TX_EN": level("gmii_tx_en_o"), "TX_ER": level("gmii_tx_er_o"),
        "TXD": gmii("gmii_tx_en_o", "gmii_txd_o")}),
    Diagram("transmit ring", 0, 0, "clk_core_i", "gmii_tx_en_o", 1, 0, 13, 22, {
        "assist_i": level("u_dma_read.assist_o"),
        **signals("u_mac.", "tx_sram_req_o", "tx_sram_gnt_i", "tx_sram_rvalid_i"),
        "TX_EN": level("gmii_tx_en_o")}),
    Diagram("beginning of a received frame", 0, 1, "clk_gmii_rx_i", "gmii_rx_dv_i", 1, 0, 2, 20, {
        "RX_DV": level("gmii_rx_dv_i"), "RX_ER": level("gmii_rx_er_i"),
        "RXD": gmii("gmii_rx_dv_i", "gmii_rxd_i")}),
    Diagram("receive ring, beginning", 0, 1, "clk_core_i", "gmii_rx_dv_i", 1, 0, 1, 32, {
        "RX_DV": level("gmii_rx_dv_i"),
        **signals("u_mac.", "rx_sram_req_o", "rx_sram_gnt_i", "rx_sram_rvalid_i")}),
    Diagram("receive ring, end", 0, 1, "clk_core_i", "u_mac.event_rx_done_o", 1, 0, 16, 20, {
        "RX_DV": level("gmii_rx_dv_i"),
        **signals("u_mac.", "rx_sram_req_o", "rx_sram_gnt_i", "event_rx_done_o",
                  "probe_rx_done_o")}),
]


def absent(drawn: dict[str, str], page: str) -> list[str]:
    """Names of the diagrams that the page does not have as a code block."""
    return [what for what, text in drawn.items() if f"```\n{text}```\n" not in page]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("runs", type=pathlib.Path, nargs=2, metavar="RUN")
    runs = parser.parse_args().runs
    waves: dict[pathlib.Path, Waves] = {}
    drawn = {}
    for diagram in DIAGRAMS:
        file = runs[diagram.run] / f"node{diagram.node}.fst"
        if file not in waves:
            waves[file] = Waves(file)
        nic = waves[file]
        drawn[diagram.what] = diagram.draw(nic)
        edges, start = diagram.start(nic)
        print(f"{diagram.what}, node {diagram.node}, from {edges[start] / 1e6:.3f} us\n"
              f"{drawn[diagram.what]}")
    missing = absent(drawn, (ROOT / PAGE).read_text(encoding="utf-8"))
    for what in missing:
        print(f"{PAGE} shows another diagram: {what}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
