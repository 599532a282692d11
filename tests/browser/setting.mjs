// What a test and a measurement need: a server of ours, and a browser.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(join(process.env.NODE_PATH, "/"));
const playwright = require("playwright-core");

/** The program text of axe-core, which finds what people with disabilities cannot use. */
export const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const games = join(dirname(fileURLToPath(import.meta.url)), "../../games");

/** The path of one of our games; whole paths stay as they are. */
export const gameFile = (game) => resolve(games, game);

/** All servers, to end those that a test which failed has left. */
const servers = [];
process.once("exit", () => servers.forEach((server) => server.kill("SIGKILL")));

/** Starts the explorer of a game; gives its address and what ends it. */
export async function explore(sqasp, game, ...more) {
  const server = spawn(sqasp, ["explore", gameFile(game), "--no-browser", "--quiet", ...more]);
  servers.push(server);
  const address = await new Promise((resolve, reject) => {
    server.stdout.once("data", (data) => resolve(String(data).trim()));
    server.once("exit", (code) => reject(new Error(`the explorer ended with ${code}`)));
  });
  return { address, end: () => new Promise((done) => server.exitCode !== null ? done() : (server.once("exit", done), server.kill("SIGKILL"))) };
}

/** Starts a browser. */
export const launch = (chromium) => playwright.chromium.launch({ executablePath: chromium, args: ["--no-sandbox"] });
