/**
 * Prints random texts for people, for `npm run house -- texts [seed]`: twenty each of pages, problems, doc comments, guide
 * paragraphs, log lines and helps of commands. Read them aloud; rewrite what sounds wrong, and everything else with the same fault.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path) => readFileSync(join(root, path), 'utf8');
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\n');
const EACH = 20;

const isMade = (text) => /\b(generated|made) by\b/i.test(text.slice(0, 300));
const sources = (pattern) => tracked.filter((path) => pattern.test(path)).map((path) => [path, read(path)]);
const code = sources(/^(src|streams|actors|api|web|clients)\/.*\.(tsx?|mjs|js)$/).filter(([, text]) => !isMade(text));
const plain = (text) => text.replaceAll(/\s*\n\s*\*? ?/g, ' ').trim();
/** Finds texts of several words that a pattern captures, each with its file and line. */
const found = (files, pattern) =>
  files.flatMap(([path, text]) =>
    [...text.matchAll(pattern)].flatMap(({ index, ...groups }) => {
      const words = plain(groups[1] ?? groups[2] ?? '');
      return words.split(' ').length < 3 ? [] : [`${path}:${text.slice(0, index).split('\n').length}  ${words}`];
    }),
  );

const withoutComments = code.map(([path, text]) => [
  path,
  text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (one) => one.replaceAll(/[^\n]/g, ' ')),
]);
const ROOMS = { page: /^web\//, problem: /^(api|actors|src\/(domain|trading|adapters|simulation))\// };
const inRoom = (pattern) => withoutComments.filter(([path]) => pattern.test(path));
const documents = sources(
  /^(?!test\/|docs\/(state-charts|permissions|privileges|feed-faults|source-faults|reference\/(settings|command-line|metrics))).*\.md$/,
);

const KINDS = {
  page: found(
    inRoom(ROOMS.page),
    />\s*([A-Z][^<>{}=]{12,}?)\s*<|(?:title|label|verb|done|empty|aria-label|description|placeholder)=?[:=] ?["'`{]+([A-Z][^"`}]{12,}?)["'`]/g,
  ),
  problem: found(
    inRoom(ROOMS.problem),
    /(?:detail|problem|refuse\w*\([^'"`]*|new (?:\w*Error)\(|malformed\([^,]*,)[:(]? ?['"`]([^'"`\n]{14,})['"`]|detail: `([^`]{14,})`/g,
  ),
  comment: found(code, /\/\*\*([\s\S]*?)\*\//g),
  guide: documents.flatMap(([path, text]) =>
    text
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .split(/\n\n+/)
      .filter((part) => part.split(' ').length > 8 && !/^\||^#/.test(part))
      .map((part) => `${path}  ${plain(part)}`),
  ),
  log: found(code, /\blog\.(?:info|warn|error|fatal|debug)\((?:\{[^}]*\},\s*|[^,'"`()]*,\s*)?['"`]([^'"`\n]{10,})['"`]/g),
  help: found(
    withoutComments.filter(([path]) => path.startsWith('src/cli/') || path.endsWith('src/boot/config.ts')),
    /\.(?:option|argument|description|requiredOption)\((?:['"`][^'"`]*['"`],\s*)?['"`]([^'"`\n]{12,})['"`]|setting\([^']*'([^']{12,})'/g,
  ),
};

/** Returns a seeded generator of numbers in [0, 1) (mulberry32). */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 2 ** 31));
const random = seeded(seed);
process.stdout.write(`seed ${seed}\n`);
for (const [kind, texts] of Object.entries(KINDS)) {
  process.stdout.write(`\n${kind}: ${Math.min(EACH, texts.length)} of ${texts.length}\n`);
  const left = [...new Set(texts)];
  for (let n = 0; n < EACH && left.length > 0; n++) process.stdout.write(`  ${left.splice(Math.floor(random() * left.length), 1)[0]}\n`);
}
