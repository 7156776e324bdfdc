"""SystemVerilog as tokens, and the expressions in it that decide what the hardware does."""
import re
from dataclasses import dataclass

TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/|`[^\n]*)
  | (?P<number>\d*'s?[bdh][0-9a-fA-F_xz?]+|'[01]|\d[\d_]*)
  | (?P<name>[A-Za-z_$][\w$]*)
  | (?P<string>"[^"]*")
  | (?P<mark><<<|>>>|===|!==|<<|>>|&&|\|\||==|!=|<=|>=|::|\+:|-:|->|[-+*/%<>=!~&|^?:;,.@\#(){}\[\]'])
""", re.VERBOSE | re.DOTALL)

OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}


@dataclass
class Token:
    text: str
    kind: str
    start: int
    end: int


@dataclass
class Expression:
    """A span of tokens; `condition` if it is that of an `if`."""
    first: int
    last: int  # behind it
    condition: bool


def tokens_of(text):
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise ValueError(f"cannot read {text[at:at + 30]!r}")
        if match.lastgroup != "space":
            found.append(Token(match.group(), match.lastgroup, match.start(), match.end()))
        at = match.end()
    return found


def closing(tokens, at):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for index in range(at, len(tokens)):
        if tokens[index].text in OPEN:
            depth += 1
        elif tokens[index].text in CLOSE:
            depth -= 1
            if depth == 0:
                return index
    raise ValueError("unbalanced brackets")


def until(tokens, at, stops):
    """The index of the first token in `stops` outside of brackets."""
    while tokens[at].text not in stops:
        at = closing(tokens, at) + 1 if tokens[at].text in OPEN else at + 1
    return at


class Expressions:
    """Collects the expressions of one file: right-hand sides, conditions, and what is connected to ports."""

    def __init__(self, tokens):
        self.tokens, self.found, self.at = tokens, [], 0

    def collect(self):
        while self.at < len(self.tokens):
            text = self.tokens[self.at].text
            if text == "assert":
                self.at = until(self.tokens, self.at, {";"})
            elif text in ("always_comb", "always_ff"):
                self.at += 1
                if self.tokens[self.at].text == "@":
                    self.at = closing(self.tokens, self.at + 1) + 1
                self.statement()
            elif text in ("assign", "wire"):
                self.assignment()
            elif text == "." and self.tokens[self.at + 2].text == "(":
                end = closing(self.tokens, self.at + 2)
                self.add(self.at + 3, end, False)
                self.at = end + 1
            elif text in ("localparam", "parameter", "typedef", "import"):
                self.at = until(self.tokens, self.at, {";", ",", ")"})
            else:
                self.at += 1
        return self.found

    def add(self, first, last, condition):
        if last > first:
            self.found.append(Expression(first, last, condition))

    def assignment(self):
        """From the left-hand side to behind the semicolon; without `=` there is nothing to find."""
        at = until(self.tokens, self.at, {"=", "<=", ";", ",", ")"})
        if self.tokens[at].text not in ("=", "<="):
            self.at = at + 1
            return
        end = until(self.tokens, at, {";"})
        self.add(at + 1, end, False)
        self.at = end + 1

    def statement(self):
        tokens = self.tokens
        text = tokens[self.at].text
        if text in ("unique", "priority"):
            self.at += 1
            self.statement()
        elif text == "begin":
            self.at += 1
            if tokens[self.at].text == ":":
                self.at += 2
            while tokens[self.at].text != "end":
                self.statement()
            self.at += 1
        elif text == "if":
            end = closing(tokens, self.at + 1)
            self.add(self.at + 2, end, True)
            self.at = end + 1
            self.statement()
            if tokens[self.at].text == "else":
                self.at += 1
                self.statement()
        elif text in ("case", "casez"):
            self.at = closing(tokens, self.at + 1) + 1
            if tokens[self.at].text == "inside":
                self.at += 1
            while tokens[self.at].text != "endcase":
                self.at = until(tokens, self.at, {":"}) + 1
                self.statement()
            self.at += 1
        elif text == "for":
            self.at = closing(tokens, self.at + 1) + 1
            self.statement()
        elif text == ";":
            self.at += 1
        elif "assert" in (text, tokens[self.at + 2].text):
            self.at = until(tokens, self.at, {";"}) + 1
        else:
            self.assignment()
