// Values: exact fractions, and how they are shown: percent or points first, fractions on request.

/** @type {(a: bigint, b: bigint) => bigint} */
const gcd = (a, b) => {
  while (b) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
};

/** An exact fraction. */
export class Fraction {
  /** @param {bigint} num @param {bigint} den */
  constructor(num, den = 1n) {
    const common = gcd(num, den) || 1n;
    this.num = num / common;
    this.den = den / common;
  }

  /**
   * From `{num, den}` of a reply, or `infinite`, which is 1/0 here.
   * @param {import("./source.js").Amount} amount
   */
  static of(amount) {
    return amount === "infinite" ? new Fraction(1n, 0n) : new Fraction(BigInt(amount.num), BigInt(amount.den));
  }

  /** @param {Fraction} other */
  plus(other) {
    return new Fraction(this.num * other.den + other.num * this.den, this.den * other.den);
  }

  /** @param {Fraction} other */
  minus(other) {
    return new Fraction(this.num * other.den - other.num * this.den, this.den * other.den);
  }

  /** @param {Fraction} other */
  multiply(other) {
    return new Fraction(this.num * other.num, this.den * other.den);
  }

  /** @param {number} whole */
  times(whole) {
    return new Fraction(this.num * BigInt(whole), this.den);
  }

  /** @param {Fraction} other */
  compare(other) {
    const difference = this.num * other.den - other.num * this.den;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  /** A rounded number, for drawing and colours only. */
  get number() {
    if (!this.den) return this.num ? Number(this.num) * Infinity : 0;
    const scale = 10n ** 15n;
    return Number((this.num * scale) / this.den) / 1e15;
  }

  toString() {
    return !this.den ? "infinite" : this.den === 1n ? String(this.num) : `${this.num}/${this.den}`;
  }
}

export const ZERO = new Fraction(0n);

/** What values there are, from `least` to `most`; whether they are means of numbers, and small ones good; and whether fractions are to be shown. */
export const view = { least: ZERO, most: new Fraction(1n), isMean: false, isSmall: false, asFractions: false };

/**
 * Values are those of an objective, for the role at a place among the roles.
 * @param {import("./source.js").Objective} objective @param {number} place
 */
export const setScale = ({ is_mean, is_small, least, largest }, place) => Object.assign(view, { least: Fraction.of(least[place]), most: Fraction.of(largest[place]), isMean: is_mean, isSmall: is_small });

/** So many steps are half of all where there is no largest number. */
const HALF = 10;

/** A difference of values as a part of all, for drawing and colours only. */
export const extent = (number) => (view.most.den ? number / (view.most.number - view.least.number) : number === Infinity ? 1 : number / (HALF + Math.abs(number)));

/** A value as a part of all, and the part between two. */
export const part = (number) => extent(number - view.least.number);
export const between = ({ lower, upper }) => part(upper) - part(lower);

/** How much better a value is for the role than another one. */
export const gain = (one, other) => (view.isSmall ? other.minus(one) : one.minus(other));

/** The most digits of a numerator or a denominator that is shown in a row. */
const LONG = 14;

const cut = (digits) => (digits.length > LONG ? `${digits.slice(0, 6)}…${digits.slice(-4)}` : digits);

/** A fraction in a row: long numbers without their middle. */
export function brief(fraction) {
  return fraction.toString().split("/").map(cut).join("/");
}

/** A decimal with this many digits, rounded. */
function decimal(fraction, digits) {
  if (!fraction.den) return "∞";
  const negative = fraction.num < 0n;
  const scale = 10n ** BigInt(digits);
  const scaled = (negative ? -fraction.num : fraction.num) * scale;
  const text = String((scaled * 2n + fraction.den) / (2n * fraction.den)).padStart(digits + 1, "0");
  return (negative ? "−" : "") + (digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text);
}

/** The number of digits behind the point at first: percent have one, points two. */
const first = () => (view.isMean ? 2 : 1);

/** The most digits. */
const MAX_DIGITS = 6;

/** A number without its unit: percent, or points. */
export function bare(fraction, digits = first()) {
  const shown = view.isMean ? fraction : fraction.times(100);
  if (shown.den === 1n && shown.num % 100n === 0n) return String(shown.num);
  const text = decimal(shown, digits);
  if (view.isMean) return text;
  // Rounding makes no sure win of a chance.
  if (Number(text) === 100) return `>${decimal(new Fraction(10n ** BigInt(digits + 2) - 1n, 10n ** BigInt(digits)), digits)}`;
  return Number(text) === 0 ? `<${decimal(new Fraction(1n, 10n ** BigInt(digits)), digits)}` : text;
}

const unit = () => (view.isMean ? "" : "\u00a0%");

/** How many digits tell these values apart. */
export function digitsFor(values) {
  const exact = new Set(values.map(String)).size;
  for (let digits = first(); digits < MAX_DIGITS; digits += 1) {
    if (new Set(values.map((value) => bare(value, digits))).size === exact) return digits;
  }
  return MAX_DIGITS;
}

/** A value as people read it. */
export function shown(fraction, digits) {
  return view.asFractions ? brief(fraction) : bare(fraction, digits) + unit();
}

/** A difference of values, with its sign; in more digits where it would look like none. */
export function difference(fraction, digits = first()) {
  const sign = fraction.num > 0n ? "+" : fraction.num < 0n ? "−" : "";
  const size = fraction.num < 0n ? ZERO.minus(fraction) : fraction;
  const number = view.isMean ? size : size.times(100);
  let enough = digits;
  while (number.num !== 0n && enough < MAX_DIGITS && Number(decimal(number, enough)) === 0) enough += 1;
  return sign + (view.asFractions ? brief(size) : decimal(number, enough));
}

/** How likely something is: `4 in 5`. */
export const odds = (fraction) => (fraction.num === fraction.den ? "surely" : `${fraction.num} in ${fraction.den}`);

/**
 * A value as it is shown. `text` is for people, `short` for a cell of a board, `long` says what is proved; `lower` and `upper` are for drawing only.
 * `low` and `high` are missing where nothing is known.
 * @typedef {{text: string, short?: string, long?: string, lower: number, upper: number, exact?: boolean, low?: Fraction, high?: Fraction}} Shown
 */

/**
 * What is known of a value, from anything with `value`, `lower` and `upper`: texts, and numbers. Bounds that look the same are one number with `…`.
 * @param {import("./source.js").Worth | null | undefined} told
 * @param {number} [digits]
 * @returns {Shown}
 */
export function known(told, digits) {
  if (!told || !told.lower) return { text: "not known", short: "", long: "nothing is known yet", lower: view.least.number, upper: view.most.number, exact: false };
  const [low, high] = [Fraction.of(told.lower), Fraction.of(told.upper)];
  const exact = told.value !== undefined && told.value !== null;
  const numbers = { low, high, lower: low.number, upper: high.number, exact };
  if (exact) return { text: shown(low, digits), short: bare(low, digits), long: `exactly ${low}`, ...numbers };
  if (low.compare(view.least) <= 0 && high.compare(view.most) >= 0) return { text: "not known", short: "", long: "nothing is proved of it yet", ...numbers };
  const isClose = bare(low) === bare(high);
  const text = view.asFractions ? `${brief(low)} to ${brief(high)}` : isClose ? `${bare(low)}…${unit()}` : `${bare(low)} to ${bare(high)}${unit()}`;
  const whole = (number, round) => round(view.isMean ? number : 100 * number);
  return { text, short: `${whole(numbers.lower, Math.floor)}–${whole(numbers.upper, Math.ceil)}`, long: `proved: from ${low} to ${high}`, ...numbers };
}
