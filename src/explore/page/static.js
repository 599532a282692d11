// Where the page gets its answers when it is a static site: from one file with all positions and their values.

import { Fraction } from "./terms.js";

/** Answers from a file that `sqasp explore --export` wrote. */
export class Site {
  constructor(data) {
    this.data = data;
    this.isStatic = true;
    this.random = data.introduction.roles.indexOf("random");
    this.role = data.introduction.roles.indexOf(data.introduction.role);
    this.starts = new Map();
  }

  static async load() {
    const response = await fetch("positions.bin");
    if (!response.ok) throw new Error("the file positions.bin is missing beside this page");
    const bytes = new Uint8Array(await response.arrayBuffer());
    // Some servers unpack it on the way.
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const stream = new Blob([bytes]).stream();
    const text = isPacked ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
    return new Site(await new Response(text).json());
  }

  async introduction() {
    return this.data.introduction;
  }

  async boards() {
    return this.data.boards;
  }

  texts(numbers) {
    return numbers.map((number) => this.data.texts[number]);
  }

  /** The position that a question names. */
  node({ history, state }) {
    const nodes = this.data.nodes;
    if (state) {
      const wanted = [...state].sort().join(" ");
      const found = nodes.find((node) => this.texts(node.f).sort().join(" ") === wanted);
      if (!found) throw new Error("this position is not one of the site");
      return found;
    }
    return (history || []).reduce((node, joint, step) => this.next(node, joint, step), nodes[0]);
  }

  next(node, joint, step = 0) {
    if (!node.l) throw new Error(`joint move ${step + 1} comes too late: the game is over before it`);
    if (!node.n) throw new Error("no steps are left in this site");
    let number = 0;
    node.l.forEach((legal, role) => {
      const place = this.texts(legal).indexOf(joint[role]);
      if (place < 0) throw new Error(`joint move ${step + 1}: ${joint[role]} is not legal for ${this.data.introduction.roles[role]}`);
      number = number * legal.length + place;
    });
    return this.data.nodes[node.n[number]];
  }

  value(node) {
    return Fraction.of(this.data.values[node.v]);
  }

  async position(place) {
    const node = this.node(place);
    const roles = this.data.introduction.roles;
    return {
      facts: this.texts(node.f),
      terminal: !node.l,
      legal: node.l ? node.l.map((moves) => this.texts(moves)) : roles.map(() => []),
      goals: node.g ? node.g.map((goals) => this.texts(goals)) : roles.map(() => []),
    };
  }

  /** The replies to a move, the worst for the role first. */
  replies(node, action) {
    const lists = node.l.map((moves, role) => (role === this.role ? [action] : role === this.random ? [null] : this.texts(moves)));
    const joints = lists.reduce((begun, list) => begun.flatMap((front) => list.map((item) => [...front, item])), [[]]);
    const chances = this.random < 0 ? [undefined] : this.texts(node.l[this.random]);
    const probability = new Fraction(1n, BigInt(chances.length)).json();
    const replies = joints.map((joint) => {
      let sum = new Fraction(0n);
      const outcomes = chances.map((chance) => {
        const next = this.next(node, joint.map((move) => (move === null ? chance : move)));
        const value = this.value(next);
        sum = sum.plus(value);
        return { move: chance, probability, terminal: !next.l, ...exactly(value) };
      });
      return { joint_move: joint, mean: sum.over(chances.length), outcomes, ...exactly(sum.over(chances.length)) };
    });
    return replies.sort((left, right) => left.mean.compare(right.mean));
  }

  async ask(lane, request, hear = () => {}) {
    const reply = this.answer(request);
    hear(reply, true);
    return reply;
  }

  answer(request) {
    const node = this.node(request);
    const role = this.data.introduction.role;
    if (request.command === "replies") {
      const legal = this.texts(node.l[this.role]);
      const action = request.move || legal[0];
      return { status: "replies", role, move: action, replies: this.replies(node, action) };
    }
    const reply = { status: "solved", role, terminal: !node.l, ...exactly(this.value(node)), moves: [] };
    if (request.moves !== false && node.n) {
      const worth = this.texts(node.l[this.role]).map((move) => ({ move, least: this.replies(node, move)[0].mean }));
      worth.sort((left, right) => right.least.compare(left.least) || (left.move < right.move ? -1 : 1));
      reply.moves = worth.map(({ move, least }) => ({ move, ...exactly(least), best: least.compare(worth[0].least) === 0 }));
      reply.best = worth[0].move;
    }
    return reply;
  }

  async stop() {}

  leave() {}
}

function exactly(value) {
  const json = value.json();
  return { value: json, lower: json, upper: json };
}
