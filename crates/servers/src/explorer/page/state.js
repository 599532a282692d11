// The state of the page, and its address.

import { $ } from "./elements.js";
import { setScale } from "./numbers.js";
import { movesText, parseMoves, parseTerms, termText } from "./terms.js";

/** The most positions that are kept. */
const MAX_KEPT = 5000;

/** What is shown, and what is known of it. */
export const page = {
  /** @type {import("./source.js").Server} */
  source: null,
  /** @type {import("./source.js").Introduction} */
  intro: null,
  boards: [],
  hints: null,
  contents: null,
  scenery: null,
  /** The facts that play starts from; null is the initial state. */
  start: null,
  /**
   * The joint moves of the play, and how many of them are made.
   * @type {string[][]}
   */
  moves: [],
  at: 0,
  role: 0,
  /** The number of the objective among those offered. */
  objective: 0,
  depth: null,
  players: [],
  /** What roles have chosen in this step. */
  chosen: [],
  from: null,
  turns: 0,
  /** @type {import("./source.js").Position} */
  here: null,
  /** @type {import("./source.js").Position} */
  before: null,
  /** @type {import("./source.js").Known} */
  value: null,
  valueDone: false,
  replies: null,
  why: null,
  /** The value and the mixtures where roles choose at the same time. */
  mixture: null,
  /** What the role knows, if the rules hide something, and whether the true state is shown all the same. */
  knowledge: null,
  reveal: false,
  /** The rules that fired in the last step. */
  fired: null,
  tab: "moves",
  /** The rows of which all moves are shown. */
  open: new Set(),
  /** Whether the page just opened with its first objective, and another may say more. */
  isDefaultObjective: false,
  /** Whether computers and dice move by themselves. */
  live: false,
  stopped: false,
  /** The time at which the position was turned to, in milliseconds. */
  since: 0,
  /** Counts the positions that were shown, so that old answers are dropped. */
  turn: 0,
  kept: new Map(),
  values: new Map(),
  /** What steps lost and gained. */
  judged: new Map(),
};

/** The place of chance among the roles; -1 without it. */
export const random = () => page.intro.roles.indexOf("random");

/** Whether roles choose at the same time, and this position could be solved so, or is being. */
export const isMixed = () => page.intro.is_simultaneous && !page.intro.is_hidden && !(page.mixture && page.mixture.wrong);

/** How many steps count after some; all without a number. */
export const left = (at) => (page.depth === null ? undefined : Math.max(0, page.depth - at));

/** Shows what went wrong; without an error nothing is wrong. */
export function trouble(error) {
  $("trouble").hidden = !error;
  $("trouble-text").textContent = error ? error.message : "";
}

/** Keeps something, and forgets the oldest when there is much. */
export function keep(map, key, item) {
  if (map.size >= MAX_KEPT) map.delete(map.keys().next().value);
  map.set(key, item);
  return item;
}

/** The position after some steps. */
export async function position(moves) {
  const place = { history: moves };
  if (page.start) place.state = page.start;
  const key = JSON.stringify(place);
  return page.kept.get(key) || keep(page.kept, key, await page.source.position(place));
}

/** A question about a position, for the role that values are about. */
export function question(here, at, more = {}) {
  /** @type {{state: string[], role: string, depth?: number}} */
  const request = { state: here.facts, role: page.intro.roles[page.role], ...more };
  if (left(at) !== undefined) request.depth = left(at);
  return request;
}

/** The name under which the value of a position is kept. */
export const valueKey = (here, at) => `${page.objective} ${page.role} ${left(at)} ${here.facts.join(" ")}`;

/** The roles that are against the role. */
export const rivals = () => page.intro.roles.filter((_, at) => at !== page.role && at !== random());

/** Their names. */
export const opponents = () => rivals().join(" and ");

/** The address of what is shown. */
export function address() {
  const parts = new URLSearchParams();
  parts.set("role", page.intro.roles[page.role]);
  if (page.objective) parts.set("objective", page.intro.objectives[page.objective].name);
  if (page.depth !== null) parts.set("depth", String(page.depth));
  if (page.start) parts.set("state", page.start.join(" "));
  const played = movesText(page.moves).replaceAll("\n", " ");
  // Hidden moves are not shown by accident.
  if (page.moves.length) parts.set("moves", page.intro.is_hidden ? btoa(encodeURIComponent(played)) : played);
  if (page.at < page.moves.length) parts.set("at", String(page.at));
  return `#${parts}`;
}

/** Reads the address; throws where it makes no sense, and changes nothing then. */
export function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const role = parts.has("role") ? page.intro.roles.indexOf(parts.get("role")) : page.intro.roles.indexOf(page.intro.role);
  if (role < 0 || role === random()) throw new Error(`the address names a role that cannot win: ${parts.get("role")}`);
  const objective = parts.has("objective") ? page.intro.objectives.findIndex(({ name }) => name === parts.get("objective")) : 0;
  if (objective < 0) throw new Error(`the address names an objective that is not offered here: ${parts.get("objective")}`);
  const depth = parts.has("depth") ? Number(parts.get("depth")) : page.intro.depth;
  if (depth !== null && !(Number.isInteger(depth) && depth >= 0 && depth <= 1e6)) throw new Error(`the address has a depth that is none: ${parts.get("depth")}`);
  const written = parts.get("moves") || "";
  const played = page.intro.is_hidden && !written.startsWith("(") ? decodeURIComponent(atob(written)) : written;
  const moves = parseMoves(played, page.intro.roles.length);
  const at = parts.has("at") ? Number(parts.get("at")) : moves.length;
  if (!(Number.isInteger(at) && at >= 0 && at <= moves.length)) throw new Error("the address names a step that is not in its play");
  const start = parts.has("state") ? parseTerms(parts.get("state")).map(termText) : null;
  Object.assign(page, { role, objective, depth, moves, at, start });
  chooseScale();
}

/** Values are those of the role and the objective that are chosen. */
export function chooseScale() {
  setScale(page.intro.objectives[page.objective], page.role);
  page.source.objective = page.objective;
}
