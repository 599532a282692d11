// Facts and moves as text and as trees; fractions as text and as pairs of whole numbers.

/** Reads the terms of a text: words are strings, the rest are lists. Throws where the text is no list of terms. */
export function parseTerms(text) {
  const tokens = text.match(/\(|\)|[^\s()]+/g) || [];
  const top = [];
  const open = [top];
  for (const token of tokens) {
    if (token === "(") {
      const list = [];
      open[open.length - 1].push(list);
      open.push(list);
    } else if (token === ")") {
      if (open.length === 1) throw new Error("a parenthesis is closed that was never opened");
      open.pop();
    } else {
      open[open.length - 1].push(token);
    }
  }
  if (open.length > 1) throw new Error("a parenthesis is never closed");
  return top;
}

/** The text of a term. */
export function termText(term) {
  return Array.isArray(term) ? `(${term.map(termText).join(" ")})` : term;
}

/** The arguments of a term that is text. */
export function argumentsOf(text) {
  const [term] = parseTerms(text);
  return Array.isArray(term) ? term.slice(1) : [];
}

/** A move for people: `mark 1 2` instead of `(mark 1 2)`. */
export function plain(text) {
  return text.startsWith("(") && text.endsWith(")") ? text.slice(1, -1) : text;
}

/** Joint moves as text, one in a line, as `sqasp simulate --after` takes them. */
export function movesText(moves) {
  return moves.map((joint) => `(${joint.join(" ")})`).join("\n");
}

/** Joint moves of this many roles. Lines that begin with `;` are comments. */
export function parseMoves(text, roles) {
  const lines = text.split("\n").filter((line) => !line.trim().startsWith(";"));
  return parseTerms(lines.join("\n")).map((term, place) => {
    if (!Array.isArray(term) || term.length !== roles) {
      throw new Error(`step ${place + 1}, ${termText(term)}: write a list with one move for each of the ${roles} roles`);
    }
    return term.map(termText);
  });
}

const gcd = (a, b) => {
  while (b) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
};

/** An exact fraction. */
export class Fraction {
  constructor(num, den = 1n) {
    const common = gcd(num, den) || 1n;
    this.num = num / common;
    this.den = den / common;
  }

  /** From `{num, den}` of a reply. */
  static of({ num, den }) {
    return new Fraction(BigInt(num), BigInt(den));
  }

  minus(other) {
    return new Fraction(this.num * other.den - other.num * this.den, this.den * other.den);
  }

  compare(other) {
    const difference = this.num * other.den - other.num * this.den;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  /** A rounded number, for drawing and colours only. */
  get number() {
    const scale = 10n ** 15n;
    return Number((this.num * scale) / this.den) / 1e15;
  }

  toString() {
    return this.den === 1n ? String(this.num) : `${this.num}/${this.den}`;
  }
}

/** The most characters of a fraction that is shown; longer ones are in the tooltip. */
const SHORT = 24;

/** A decimal with `digits` places; `≈` where it is rounded. */
export function decimal(fraction, digits = 4) {
  const scale = 10n ** BigInt(digits);
  const scaled = fraction.num * scale * 10n;
  const rounded = (scaled / fraction.den + 5n) / 10n;
  const exact = rounded * fraction.den === fraction.num * scale;
  const text = String(rounded).padStart(digits + 1, "0");
  const whole = text.slice(0, -digits);
  const rest = text.slice(-digits).replace(/0+$/, "");
  return (exact ? "" : "≈") + whole + (rest ? `.${rest}` : "");
}

/** What values there are: from nothing to this. */
export const range = { most: 1 };

/** What is known of a value, from anything with `value`, `lower` and `upper`: text, a long text, and numbers. */
export function known(told) {
  if (!told || !told.lower) return { text: "not known", short: "", long: "nothing is known yet", lower: 0, upper: range.most, exact: false };
  const lower = Fraction.of(told.lower);
  const upper = Fraction.of(told.upper);
  const exact = told.value !== undefined && told.value !== null;
  const numbers = { low: lower, high: upper, lower: lower.number, upper: upper.number, exact };
  if (exact) {
    const value = Fraction.of(told.value);
    const whole = value.toString();
    const round = decimal(value);
    const short = whole.length > SHORT ? round : whole === round ? whole : `${whole} ${round.startsWith("≈") ? "" : "= "}${round}`;
    return { text: short, short: round, long: `exactly ${whole}`, ...numbers };
  }
  if (numbers.lower <= 0 && numbers.upper >= range.most) return { text: "not known", short: "", long: "nothing is proved of it yet", ...numbers };
  const text = `${decimal(lower)} to ${decimal(upper)}`;
  return { text, short: `${decimal(lower, 2)}–${decimal(upper, 2)}`.replaceAll("≈", ""), long: `proved: from ${lower} to ${upper}`, ...numbers };
}
