// Comments of the rules that say how facts are drawn; to other readers of the rules they are comments like others.

const DIRECTIONS = ["across", "back", "down", "up"];

/** The ways to show the facts of a feature. */
export const KINDS = ["score", "track", "pile", "dice", "cards", "text", "nothing"];

/**
 * What comments say about drawing: `; board cell: across up` says where the first and the second coordinate grow, `; pieces: xplayer=X b=.`
 * how contents are shown, `; show pot as pile` how the facts of a feature are. `features` are the functions of the game's facts. Lines that
 * contradict each other are not followed, and `wrong` has a message for each that makes no sense.
 */
export function drawingHints(rules, features) {
  const hints = { boards: new Map(), pieces: new Map(), shows: new Map(), wrong: [] };
  const said = new Map();
  rules.split("\n").forEach((line, at) => {
    const board = line.match(/^\s*[;%]+\s*board\s+(\S+):\s*(\w+)\s+(\w+)\s*$/);
    if (board && DIRECTIONS.includes(board[2]) && DIRECTIONS.includes(board[3])) {
      hints.boards.set(board[1], [board[2], board[3]]);
      said.set(board[1], [...(said.get(board[1]) || []), { line: at + 1, kind: "board" }]);
    }
    const pieces = line.match(/^\s*[;%]+\s*pieces:\s*(.+)$/);
    for (const pair of pieces ? pieces[1].trim().split(/\s+/) : []) {
      const [name, glyph] = pair.split("=");
      if (glyph) hints.pieces.set(name, glyph);
    }
    const show = line.match(/^\s*[;%]+\s*show\s+(\S+)\s+as\s+(\S+)\s*$/);
    if (!show) return;
    const [, feature, kind] = show;
    const isFeature = features.length === 0 || features.includes(feature);
    // A comment for people, as far as that shows.
    if (!isFeature && !KINDS.includes(kind)) return;
    if (!isFeature) hints.wrong.push(`Line ${at + 1} of the rules shows ${feature}, but no fact is called so.`);
    else if (!KINDS.includes(kind)) hints.wrong.push(`Line ${at + 1} of the rules shows ${feature} as ${kind}: use one of ${KINDS.join(", ")}.`);
    else said.set(feature, [...(said.get(feature) || []), { line: at + 1, kind }]);
  });
  for (const [feature, lines] of said) {
    if (new Set(lines.map(({ kind }) => kind)).size > 1) {
      hints.boards.delete(feature);
      const each = lines.map(({ line, kind }) => `line ${line} shows it as ${kind}`).join(", ");
      hints.wrong.push(`The rules contradict themselves about ${feature}: ${each}. None is followed: keep one.`);
    } else if (lines[0].kind !== "board") hints.shows.set(feature, lines[0].kind);
  }
  return hints;
}
