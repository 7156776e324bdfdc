"""What can be planted in an expression: each operator yields (what it is, the expression's new text)."""
import re

from tokens import CLOSE, OPEN, closing

SWAPS = {
    "&&": ["||"], "||": ["&&"], "==": ["!="], "!=": ["=="], "<": [">=", "<="], ">": ["<=", ">="], "<=": ["<"], ">=": [">"],
    "+": ["-"], "-": ["+"], "&": ["|"], "|": ["&"], "^": ["&"], "<<": [">>"], ">>": ["<<"], ">>>": [">>"],
}
# A constant of an enumeration: its group is what stands in front of the first underscore.
ENUMERATED = re.compile(r"([A-Z]+)_[A-Z0-9_]+")


def planted(text, tokens, expression, constants):
    """All defects of one expression. `constants` maps the groups of enumerations to their members."""
    span = tokens[expression.first:expression.last]
    base, end = span[0].start, span[-1].end

    def replaced(start, stop, by):
        return text[base:start] + by + text[stop:end]

    if expression.condition:
        yield "condition negated", f"!({text[base:end]})"
        yield "condition dropped", "1'b1"
    indices, literal = selects(span), None
    for at, token in enumerate(span):
        binary = at > 0 and (span[at - 1].kind in ("name", "number") or span[at - 1].text in CLOSE)
        if at in indices:
            continue
        if token.kind == "mark" and binary:
            for other in SWAPS.get(token.text, []):
                yield f"{token.text} to {other}", replaced(token.start, token.end, other)
            if token.text in ("&&", "||"):
                stop = operand_end(span, at + 1, {"&&", "||", "?", ":", ","})
                yield f"{token.text} term dropped", replaced(token.start, span[stop - 1].end, "")
            if token.text == "?":
                colon = operand_end(span, at + 1, {":"})
                stop = operand_end(span, colon + 1, {","})
                then, other = text[span[at + 1].start:span[colon - 1].end], text[span[colon + 1].start:span[stop - 1].end]
                yield "branches swapped", replaced(span[at + 1].start, span[stop - 1].end, f"({other}) : ({then})")
        elif token.text in ("!", "~") and not binary:
            yield f"{token.text} dropped", replaced(token.start, token.end, "")
        elif token.kind == "number" and (literal := other_number(token.text)):
            yield f"{token.text} to {literal}", replaced(token.start, token.end, literal)
        elif match := ENUMERATED.fullmatch(token.text):
            members = constants.get(match[1], [])
            if token.text in members and len(members) > 1:
                other = members[(members.index(token.text) + 1) % len(members)]
                yield f"{token.text} to {other}", replaced(token.start, token.end, other)


def selects(span):
    """Positions in index brackets, counts of replications, and casts: other numbers there would not be hardware of the same shape."""
    found = set()
    for at, token in enumerate(span):
        if token.text == "[":
            found.update(range(at, closing(span, at) + 1))
        if token.kind == "number" and at + 1 < len(span) and span[at + 1].text in ("{", "'"):
            found.add(at)
    return found


def operand_end(span, at, stops):
    """Behind the operand that begins at `at`: at a token of `stops`, or at the bracket around it. A ?: within is passed over."""
    inner = 0
    while at < len(span) and span[at].text not in CLOSE:
        if span[at].text == "?" and "?" not in stops:
            inner += 1
        elif span[at].text == ":" and inner:
            inner -= 1
        elif span[at].text in stops and not inner:
            return at
        at = closing(span, at) + 1 if span[at].text in OPEN else at + 1
    return at


def other_number(text):
    """A sized literal with its lowest bit turned over, or, in decimal, the next."""
    match = re.fullmatch(r"(\d+)'([bdh])([0-9a-fA-F_]+)", text)
    if not match:
        return None
    width, base, digits = int(match[1]), match[2], match[3].replace("_", "")
    value = int(digits, {"b": 2, "d": 10, "h": 16}[base])
    if base == "d":
        value = value + 1 if value + 1 < 1 << width else value - 1
        return f"{width}'d{value}"
    return f"{width}'{base}{value ^ 1:{'b' if base == 'b' else 'x'}}"
