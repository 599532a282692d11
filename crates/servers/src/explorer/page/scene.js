// Facts that make no board, drawn as what they are: scores, tracks, piles, dice and cards.
//
// A feature is recognised by the values of its arguments and by its name, or a comment of the rules says how to show it.

import { cellsOf, isOn } from "./board.js";
import { el, svg } from "./elements.js";
import { inWords, natural, parts, plain } from "./terms.js";

const WORDS = {
  turn: /^(control|turn|mover|to_move|whose_turn|active|player_to_move)$/,
  track: /^(at|on|pos|position|place|location|square|field|level|wrestler|token|pawn|stands?)$/,
  pile: /^(piles?|heaps?|pot|stones?|coins?|tokens|bank|stock|matches|chips|counters|bag)$/,
  dice: /^(die|dice|shows?|thrown?|throws?|roll(ed|s)?|pips|eyes)$/,
  cards: /^(hand|holds?|deck|cards?|discards?|discarded|table|drawn|trick|in_hand)$/,
  clock: /^(steps?|time|clock|tick)$/,
  links: /^(leads?|leads_to|ladders?|snakes?|chutes?|slides?|climbs?|jumps?|bridges?)$/,
};

/** Captions of facts whose names say little where they are drawn. */
const CAPTIONS = new Map([["at", "on the squares"], ["on", "on the squares"], ["pos", "position"]]);

const caption = (text) => el("figcaption", {}, CAPTIONS.get(text) || inWords(text));

/** Ranks of cards, as cards show them, and those that nothing else is called by. */
const FACES = ["ace", "king", "queen", "jack"];
const RANKS = new Map(Object.entries({ ace: "A", king: "K", queen: "Q", jack: "J", joker: "★", two: "2", three: "3", four: "4", five: "5", six: "6", seven: "7", eight: "8", nine: "9", ten: "10" }));

const isNumber = (text) => /^\d+$/.test(text);
const isCoordinate = (text) => /^(\d+|[a-z])$/.test(text);
const isPips = (text) => /^[1-6]$/.test(text);

/** The most squares of a track and stones of a pile that are drawn one by one. */
const MAX_SQUARES = 30;
const MAX_STONES = 48;
const MAX_WITH_LINKS = 120;

/**
 * The comments of the rules about drawing, each kind as a map.
 * @param {import("./source.js").Introduction} intro
 */
export function hintsOf({ hints }) {
  const map = (said) => new Map(Object.entries(said));
  return { boards: map(hints.boards), pieces: map(hints.pieces), shows: map(hints.shows) };
}

/** Features of a game: what each is shown as, and the largest numbers. */
export class Scenery {
  constructor({ roles, features, rules }, hints) {
    this.roles = roles.filter((role) => role !== "random");
    this.hints = hints;
    this.columns = new Map(features.map(({ name, values }) => [`${name}/${values.length}`, values.map((column) => [...column].sort(natural))]));
    /** Where a counter on a square goes on to, such as over a ladder: pairs of squares that the rules name. */
    const facts = [...rules.replace(/;.*/g, "").matchAll(/\(\s*(\w+)\s+(\w+)\s+(\w+)\s*\)/g)];
    this.links = new Map(facts.filter(([, name]) => WORDS.links.test(name)).map(([, , from, to]) => [from, to]));
  }

  /** The values of the arguments of a fact's feature, as far as they are known. */
  values({ name, given }) {
    return this.columns.get(`${name}/${given.length}`) || given.map((text) => [text]);
  }

  /** The way to show a fact. */
  kind(fact) {
    const said = this.hints.shows.get(fact.name);
    const values = this.values(fact);
    const isRole = (column) => column.every((text) => this.roles.includes(text));
    const isNumeric = (column) => column.every(isNumber);
    const last = values[values.length - 1];
    const owned = values.length > 1 && isRole(values[0]);
    const isCounter = values.length > 0 && values.length < 4 && isNumeric(last);
    // The squares of a track may also have names, such as `yard`.
    const isTrack = owned && values.length < 4 && last.filter(isNumber).length > 2;
    if (said === "dice") return isNumeric(last || []) && last ? "dice" : "text";
    if (said === "track") return isCounter || isTrack ? said : "text";
    if (said === "score" || said === "pile") return isCounter ? said : "text";
    if (said) return said;
    if (values.length === 1 && values[0].every((text) => text === "random" || this.roles.includes(text)) && WORDS.turn.test(fact.name)) return "turn";
    if (WORDS.dice.test(fact.name) && values.length && values.slice(owned ? 1 : 0).flat().every(isPips)) return "dice";
    const areRanks = values.length > 0 && last.every((text) => RANKS.has(text)) && FACES.some((text) => last.includes(text));
    if ((WORDS.cards.test(fact.name) || areRanks) && values.length && values.length < 3) return "cards";
    if (WORDS.track.test(fact.name) && (isCounter || isTrack)) return "track";
    if (!isCounter) return "text";
    if (owned && values.length === 2) return "score";
    return WORDS.pile.test(fact.name) ? "pile" : "text";
  }

  /** A fact that is not drawn, in words. */
  words(text) {
    const fact = parts(text);
    if (this.kind(fact) === "turn") return `on the move: ${fact.given[0]}`;
    const [owner, ...rest] = fact.given;
    return this.roles.includes(owner) ? `${owner}: ${inWords(`(${[fact.name, ...rest].join(" ")})`)}` : inWords(text);
  }

  /** The boards of features such as `(at ROLE X Y)`, where no role has a fact for each X, in the shape of those that are proved. */
  grids(facts) {
    const shapes = [];
    for (const [key, [owners, ...lines]] of this.columns) {
      const isGrid = lines.length === 2 && owners.every((role) => this.roles.includes(role)) && lines.every((line) => line.every(isNumber) && line.length > 1 && line.length <= MAX_SQUARES);
      const feature = key.split("/")[0];
      const own = isGrid ? facts.map(parts).filter(({ name, given }) => name === feature && given.length === 3) : [];
      const isFull = own.length > 0 && owners.some((role) => lines[0].every((x) => own.some(({ given }) => given[0] === role && given[1] === x)));
      if (own.length && !isFull) shapes.push({ feature, arity: 3, places: [1, 2], lines, proved: false });
    }
    return shapes;
  }

  /** The board of several features such as `(wall X Y)` and `(robot X Y)` that are not drawn yet, even without a fact; nothing if there are not two. */
  common(facts, drawn) {
    const own = facts.map(parts).filter(({ given }) => given.length === 2);
    // One fact for each X counts something.
    const isCount = (name, line) => {
      const found = own.filter((fact) => fact.name === name).map(({ given }) => given[0]);
      return line.length > 1 && found.length === line.length && line.every((x) => found.includes(x));
    };
    const members = [...this.columns].map(([key, lines]) => ({ name: key.split("/")[0], given: lines.map(([least]) => least), lines }));
    const found = members.filter(({ name, given, lines }) => !drawn.includes(name) && lines.length === 2 && lines.flat().every(isCoordinate) && !this.hints.shows.has(name) && this.kind({ name, given }) === "text" && !isCount(name, lines[0]));
    const features = found.map(({ name }) => name).sort(natural);
    const lines = [0, 1].map((which) => [...new Set(found.flatMap((member) => member.lines[which]))].sort(natural));
    const isBoard = features.length > 1 && lines.every((line) => line.length > 1 && line.length <= MAX_SQUARES);
    return isBoard ? [{ feature: features.join(", "), features, arity: 2, places: [0, 1], lines, proved: false }] : [];
  }

  /** All boards to draw: those that are proved, those of the places of roles, and the common one if a fact or a move is on it. */
  boards(proved, facts, moves) {
    const guessed = this.grids(facts).filter(({ feature }) => !proved.some((shape) => shape.feature === feature));
    const alone = [...proved, ...guessed];
    const isUsed = (shape) => facts.some((fact) => isOn(shape, fact)) || moves.some((move) => cellsOf(move, shape).cells.length);
    const common = this.common(facts, alone.map(({ feature }) => feature)).filter(isUsed);
    return [...alone, ...common].filter(({ feature }) => !this.hints.shows.has(feature));
  }

  /**
   * What there is to draw of these facts. `active` are the roles to move, `thrown` the last move of chance, `at` the step, which is shown elsewhere. Gives elements, and the
   * facts that are left over.
   */
  draw(facts, { active, thrown, isOver, at }) {
    const found = { score: [], track: [], pile: [], dice: [], cards: [], turn: [], text: [], nothing: [] };
    for (const text of facts) {
      const fact = parts(text);
      const isClock = WORDS.clock.test(fact.name) && fact.given.join() === String(at);
      found[isClock ? "nothing" : this.kind(fact)].push({ ...fact, text });
    }
    const elements = [
      this.scores(found.score, active),
      ...grouped(found.track, ({ name, given }) => [name, ...labels(given, this.roles).filter(isNumber)].join(" ")).map((group) => this.track(...group)),
      ...grouped(found.pile, ({ name }) => name).map(piles),
      ...grouped(found.dice, ({ name, given }) => [name, ...given.filter((text) => !isNumber(text))].join(" ")).map(([name, group]) => dice(name, group.map(({ given }) => given.filter(isNumber)).flat())),
      ...grouped(found.cards, ({ name, given }) => (given.length > 1 ? this.words(`(${name} ${given[0]})`) : name)).map(cards),
    ];
    const throwing = thrown && parts(thrown);
    if (throwing && !found.dice.length && WORDS.dice.test(throwing.name) && throwing.given.length && throwing.given.every(isPips)) elements.push(dice("thrown last", throwing.given));
    // Whose turn it is stands beside the board, as far as it is the same.
    const turns = isOver ? [] : found.turn.filter(({ given }) => !active.includes(given[0]));
    return { elements: elements.filter(Boolean), rest: [...found.text, ...turns].map(({ text }) => text).sort(natural) };
  }

  largest(fact) {
    const last = this.values(fact).slice(-1)[0];
    return Math.max(...last.map(Number), place(fact), 1);
  }

  /** A card for each role, with all its scores: the first is large. */
  scores(facts, active) {
    if (!facts.length) return null;
    const owners = [...this.roles, ""].map((role) => [role, facts.filter(({ given }) => (given.length > 1 ? given[0] : "") === role)]);
    const boxes = owners.filter(([, own]) => own.length).map(([role, own]) => {
      const rows = own.map((fact, at) => {
        const value = fact.given[fact.given.length - 1];
        const most = this.largest(fact);
        return el(
          "div",
          { class: at ? "minor" : "major" },
          el("b", {}, value),
          el("span", {}, ` ${[fact.name, ...fact.given.slice(1, -1)].join(" ")}`),
          el("i", { class: "meter", "--part": Math.min(1, value / most), title: `${value} of ${most}` }),
        );
      });
      return el("div", { class: `score${active.includes(role) ? " active" : ""}` }, el("h2", { class: hue(this.roles, role) }, role ? `${role}${active.includes(role) ? ", to move" : ""}` : "all"), ...rows);
    });
    return el("div", { class: "scores" }, ...boxes);
  }

  /** A row of squares with a counter for each fact. */
  track(title, facts) {
    const counter = ({ given }) => {
      const owner = this.roles.includes(given[0]) ? given[0] : "";
      const name = labels(given, this.roles).filter((label) => !isNumber(label)).join(" ");
      return el("b", { class: `token ${hue(this.roles, owner)}`, title: `${[owner || title, name].join(" ")}: ${place({ given })}` }, name.slice(0, 2).toUpperCase() || initials(this.roles, owner) || "●");
    };
    const own = this.values(facts[0]).slice(-1)[0];
    const numbers = [...own, ...facts.map(place)].filter(isNumber).map(Number);
    const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
    if (most - least >= (this.links.size ? MAX_WITH_LINKS : MAX_SQUARES)) {
      const lines = facts.map((fact) => el("div", { class: "minor" }, counter(fact), el("span", {}, ` ${place(fact)} of ${most} `), el("i", { class: "meter", "--part": place(fact) / most })));
      return el("figure", {}, caption(title), ...lines);
    }
    const squares = [...Array.from({ length: most - least + 1 }, (_, at) => String(least + at)), ...own.filter((text) => !isNumber(text))];
    const link = (square) => {
      const to = this.links.get(square);
      return to && squares.includes(to) ? el("i", { class: natural(square, to) < 0 ? "up" : "down", title: `leads to ${to}` }, `${natural(square, to) < 0 ? "↗" : "↘"}\u00a0${to}`) : null;
    };
    const cells = squares.map((square) => el("li", {}, el("small", {}, square), link(square), ...facts.filter((fact) => place(fact) === square).map(counter)));
    return el("figure", {}, caption(title), el("ol", { class: "track", "--columns": cells.length }, ...cells));
  }
}

/** The square or the number that a fact ends with. */
const place = ({ given }) => given[given.length - 1];

/** The arguments between the owner and the square. */
const labels = (given, roles) => given.slice(roles.includes(given[0]) ? 1 : 0, -1);

/** The first letter of a role, and its last one where others begin alike. */
function initials(roles, role) {
  const isAlone = roles.filter((other) => other[0] === role[0]).length < 2;
  return (isAlone ? role.slice(0, 1) : role[0] + role.slice(-1)).toUpperCase();
}

/** The class of a role's colour. */
const hue = (roles, role) => (roles.includes(role) ? `p${roles.indexOf(role) % 8}` : "");

/** Items in groups with the same key, sorted by it. */
function grouped(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) || []), item]);
  return [...groups].sort(([a], [b]) => natural(a, b));
}

/** Where the pips of a die are, for 1 to 6, in a square of three by three. */
const PIPS = ["4", "08", "048", "0268", "02468", "023568"];

/** A die that shows a number. */
export function die(number) {
  const pips = [...(PIPS[number - 1] || "")].map((at) => svg("circle", { cx: 5 + 5 * (Number(at) % 3), cy: 5 + 5 * Math.trunc(Number(at) / 3), r: 1.6 }));
  return svg("svg", { class: "die", viewBox: "0 0 20 20", role: "img", "aria-label": `a die that shows ${number}` }, svg("rect", { x: 0.5, y: 0.5, width: 19, height: 19, rx: 4 }), ...pips);
}

function dice(title, numbers) {
  const shown = numbers.map((text) => (isPips(text) ? die(Number(text)) : el("span", { class: "card" }, text)));
  return el("figure", {}, caption(title), el("div", { class: "dice" }, ...shown));
}

/** Stones, as many as numbers say. */
function piles([title, facts]) {
  const heaps = facts.map((fact) => {
    const count = Number(place(fact));
    const name = fact.given.slice(0, -1).join(" ");
    const stones = Array.from({ length: Math.min(count, MAX_STONES) }, () => el("i", { class: "stone" }));
    return el("div", { class: "heap" }, name ? el("small", {}, `${name} `) : null, el("b", {}, String(count)), el("div", { class: "pile" }, ...stones));
  });
  return el("figure", {}, caption(title), el("div", { class: "heaps" }, ...heaps));
}

function cards([title, facts]) {
  const names = facts.map(({ given }) => (given.length > 1 ? given.slice(1) : given).map(plain).join(" "));
  return el("figure", {}, caption(title), el("div", { class: "cards" }, ...names.sort(natural).map(card)));
}

/** A card with its rank, and its name where that is a word. */
export function card(name) {
  const rank = RANKS.get(name);
  return el("span", { class: "card" }, rank || inWords(name), rank ? el("small", {}, name) : null);
}

/** A move with the dice that it shows, if it throws dice. */
export const moveFace = (move) => (isThrow(move) ? [el("span", { class: "unseen" }, `${plain(move)} `), ...parts(move).given.map((text) => die(Number(text)))] : [plain(move)]);

/** Whether a move throws dice. */
export function isThrow(move) {
  const { name, given } = parts(move);
  return WORDS.dice.test(name) && given.length > 0 && given.length < 7 && given.every(isPips);
}
