#!/usr/bin/env node
/**
 * `npm run examples`: runs the API's tests and some journeys, records their requests and answers, and chooses one example
 * of each operation and error for api/examples.json. `npm run examples -- <files>` runs only these tests, and keeps every
 * example for which they have nothing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Bytes above which answers would bury the document: used only without a shorter one, and the longest never. */
const SHORT_BYTES = 4_000;
const MOST_BYTES = 64_000;
/** Number of list entries shown. */
const MOST_ITEMS = 2;
/** Lists that are shortened: those of every list, and the slots of a replay step with their answers. */
const LISTS = ['items', 'slots', 'answers'];

/** Journeys that record answers of a running service. */
const JOURNEYS = [
  'test/web/terminal.test.ts',
  ...['takes', 'venue-supplies', 'marketplace', 'launch', 'bridge', 'owner-trade'].map((name) => `test/journeys/${name}.test.ts`),
];
/** Journeys that only the proof runs. */
const LONG_JOURNEYS = ['test/web/terminal-operate.proof.test.ts', 'test/journeys/wallet-swap.proof.test.ts'];

const folder = mkdtempSync(join(tmpdir(), 'sevengate-examples-'));
try {
  const file = join(folder, 'asked.ndjson');
  const named = process.argv.slice(2);
  const missing = [...named, ...JOURNEYS, ...LONG_JOURNEYS].filter((path) => !existsSync(join(ROOT, path)));
  if (missing.length > 0) throw new Error(`there is no ${missing.join(', ')}`);
  const run = (...tests) =>
    spawnSync(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...tests], {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, SEVENGATE_EXAMPLES: file },
    });
  run(...(named.length > 0 ? named : ['test/api', ...JOURNEYS]));
  if (named.length === 0) run('--config', 'vitest.proof.config.ts', ...LONG_JOURNEYS);
  if (!existsSync(file)) throw new Error('the tests asked nothing');
  const made = choose(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  const path = join(ROOT, 'api/examples.json');
  const kept = named.length > 0 ? JSON.parse(readFileSync(path, 'utf8')) : { operations: {}, problems: {} };
  const chosen = {
    operations: sorted({ ...kept.operations, ...made.operations }),
    problems: sorted({ ...kept.problems, ...made.problems }),
  };
  writeFileSync(path, `${JSON.stringify(chosen, null, 2)}\n`);
  process.stdout.write(`${Object.keys(chosen.operations).length} operations, ${Object.keys(chosen.problems).length} errors\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Creates a check of request bodies by the document's schemas: tests also send invalid ones. */
function bodyCheck() {
  const printed = spawnSync(process.execPath, [join(ROOT, 'test/run.mjs'), 'openapi'], { encoding: 'utf8', maxBuffer: 64_000_000 });
  if (printed.status !== 0) throw new Error(`the API's document was not printed: ${printed.stderr}`);
  const document = JSON.parse(printed.stdout);
  const ajv = new Ajv2020({ strict: false });
  for (const format of ['uuid', 'date-time']) ajv.addFormat(format, true);
  ajv.addSchema(document, 'document');
  const schemas = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId, requestBody }) => [operationId, requestBody?.content?.['application/json']?.schema]);
  const byName = new Map(schemas.filter(([, schema]) => schema !== undefined));
  return ({ name, body }) =>
    body === undefined ||
    !byName.has(name) ||
    ajv.validate(JSON.parse(JSON.stringify(byName.get(name)).replaceAll('"#/', '"document#/')), body);
}

function choose(asked) {
  const isOfSchema = bodyCheck();
  const operations = {};
  const problems = {};
  const shown = asked.map((one) => ({ ...one, body: shortened(one.body), answer: shortened(one.answer) }));
  for (const { name, url, body, status, answer } of shown.sort((a, b) => rank(a) - rank(b))) {
    if (status >= 400) {
      if (answer.code !== undefined) problems[answer.code] ??= answer;
      continue;
    }
    if (url.length > 300 || JSON.stringify(answer).length > MOST_BYTES || !isOfSchema({ name, body })) continue;
    operations[name] ??= { url, ...(body === undefined ? {} : { body }), answers: {} };
    operations[name].answers[status] ??= answer;
  }
  return { operations: sorted(operations), problems: sorted(problems) };
}

/** Ranks answers, best first: lists with entries, fewest nulls, then the shortest. */
function rank({ method, body, answer }) {
  const text = JSON.stringify(answer);
  const isLong = text.length > SHORT_BYTES ? 4_000_000 : 0;
  const isUnasked = method !== 'GET' && body === undefined ? 2_000_000 : 0;
  const empty = (text.match(/\[\]|\{\}|\bnull\b/g) ?? []).length;
  const isEmpty = text.includes('"items":[]') || text.includes('"result":null') ? 1_000_000 : 0;
  return isLong + isUnasked + isEmpty + empty * 10_000 + Math.min(text.length, 9_999);
}

function shortened(body) {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  const short = ([name, value]) => [name, LISTS.includes(name) && Array.isArray(value) ? value.slice(0, MOST_ITEMS) : value];
  return Object.fromEntries(Object.entries(body).map(short));
}

function sorted(object) {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
