// Facts and moves as text and as trees.

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

/** A fact for people: `last step 3` instead of `(last_step 3)`. */
export const inWords = (fact) => plain(fact).replace(/[()_]/g, " ").replace(/ +/g, " ").trim();

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

/** Compares texts as people sort them: `pigs 2` before `pigs 10`. */
export const natural = new Intl.Collator("en", { numeric: true }).compare;

/** The function and the arguments of a term that is text, as texts. */
export function parts(text) {
  const [term] = parseTerms(text);
  const [name, ...given] = Array.isArray(term) ? term : [term];
  return { name: termText(name), given: given.map(termText) };
}

/** The most names in a list of moves. */
const MAX_NAMES = 6;

/** Several moves in few words: `die 2 to 6`, `mark 1 1, mark 1 3`. */
export function namesOf(moves) {
  const sorted = [...moves].sort(natural);
  const all = sorted.map(parts);
  const numbers = all.map(({ given }) => Number(given[0]));
  const isRow = sorted.length > 2 && all.every(({ name, given }, at) => name === all[0].name && given.length === 1 && numbers[at] === numbers[0] + at);
  if (isRow) return `${all[0].name} ${numbers[0]} to ${numbers[numbers.length - 1]}`;
  const rest = sorted.length - MAX_NAMES;
  return sorted.slice(0, rest > 1 ? MAX_NAMES : sorted.length).map(plain).join(", ") + (rest > 1 ? ` and ${rest} more` : "");
}
