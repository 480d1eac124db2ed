#!/usr/bin/env node
/** `npm run examples`: runs the API's tests, keeps what they asked and were answered, and chooses one example of each operation and error for api/examples.json. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Longer answers would bury the document: they are taken only where there is no shorter one, and the longest not at all. Bytes. */
const SHORT_BYTES = 4_000;
const MOST_BYTES = 16_000;
/** So many entries of a list are shown. */
const MOST_ITEMS = 2;

const folder = mkdtempSync(join(tmpdir(), 'sevengate-examples-'));
try {
  const file = join(folder, 'asked.ndjson');
  spawnSync(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', 'test/api'], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, SEVENGATE_EXAMPLES: file },
  });
  if (!existsSync(file)) throw new Error('the tests asked nothing');
  const chosen = choose(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  writeFileSync(join(ROOT, 'api/examples.json'), `${JSON.stringify(chosen, null, 2)}\n`);
  process.stdout.write(`${Object.keys(chosen.operations).length} operations, ${Object.keys(chosen.problems).length} errors\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function choose(asked) {
  const operations = {};
  const problems = {};
  const shown = asked.map((one) => ({ ...one, answer: shortened(one.answer) }));
  for (const { name, url, body, status, answer } of shown.sort((a, b) => rank(a) - rank(b))) {
    if (status >= 400) {
      if (answer.code !== undefined) problems[answer.code] ??= answer;
      continue;
    }
    if (url.length > 300 || JSON.stringify(answer).length > MOST_BYTES) continue;
    operations[name] ??= { url, ...(body === undefined ? {} : { body }), answers: {} };
    operations[name].answers[status] ??= answer;
  }
  return { operations: sorted(operations), problems: sorted(problems) };
}

/** The most telling come first: lists with entries, fewest nulls, then the shortest. */
function rank({ method, body, answer }) {
  const text = JSON.stringify(answer);
  const isLong = text.length > SHORT_BYTES ? 4_000_000 : 0;
  const isUnasked = method !== 'GET' && body === undefined ? 2_000_000 : 0;
  const empty = (text.match(/\[\]|\{\}|\bnull\b/g) ?? []).length;
  return isLong + isUnasked + (text.includes('"items":[]') ? 1_000_000 : 0) + empty * 10_000 + Math.min(text.length, 9_999);
}

function shortened(answer) {
  if (answer === null || typeof answer !== 'object' || !Array.isArray(answer.items)) return answer;
  return { ...answer, items: answer.items.slice(0, MOST_ITEMS) };
}

function sorted(object) {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
