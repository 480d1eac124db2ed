// Names, first lines, and non-determinism that would make a run differ from its replay.
import { expect, test } from 'vitest';
import { files, product, withoutTexts } from './source.ts';

const NON_DETERMINISM =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\brandomUUID\b|\bsetTimeout\b|\bsetInterval\b|\bperformance\.now\b|\bprocess\.env\b/g;
// Only places outside boot where it is allowed, and why.
const MAY: Readonly<Record<string, string>> = {
  'streams/clock/live-clock.ts': 'it is the clock',
  'clients/typescript/src/timing.ts': 'it is the clock of a program elsewhere',
  'clients/typescript/src/local.ts': 'the state folder that the environment names',
  'api/server.ts': 'looks again at a quiet connection in real time',
  'api/http/spare-descriptors.ts': 'closes a connection that holds one of the last descriptors in real time',
  'src/adapters/log/log.ts': 'the time of a line that tells of lines that were lost',
  'src/adapters/process/server-process.ts': 'waits for processes, before there is a clock',
  'src/adapters/store/embedded-postgres.ts': 'starts a process: retries and its PATH',
  'src/adapters/queue/embedded-redis.ts': 'starts a process: its PATH',
  'src/adapters/store/actors/actor-store.ts': 'tries a transaction again in real time, spread by chance; what it writes holds neither',
  'src/adapters/queue/bullmq.ts': 'gives up on a queue that does not answer in real time',
  'src/adapters/store/database.ts': 'a connection attempt gives up in real time',
};

test('only the clock and process starters read time, randomness or the environment', () => {
  const found = product
    .filter(({ path }) => !path.startsWith('src/boot/') && !(path in MAY))
    .flatMap(({ path, code }) =>
      code.split('\n').flatMap((line, at) => (line.match(NON_DETERMINISM) ?? []).map((what) => `${path}:${at + 1} ${what}`)),
    );
  expect(found).toEqual([]);
});

test('no raw text is sent to the database, except migrations', () => {
  const raw = product.filter(({ path, code }) => path !== 'src/adapters/store/migrate.ts' && /\.unsafe\(/.test(code));
  expect(raw.map(({ path }) => path)).toEqual([]);
});

test("the leaf of a row is looked up by the hash of its key, which the leaves' index has", () => {
  const lookUps = product.flatMap(({ path, text }) =>
    [...text.matchAll(/\btrail_changes(?: [a-z])?\s+(?:join [^`,]*?)?where [^`,]*?name = [^`,]*?\bkey = /g)].map(
      ([found]) => `${path}: ${found}`,
    ),
  );
  expect(lookUps.length).toBeGreaterThan(5);
  expect(lookUps.filter((found) => !/hashtext\((?:\w+\.)?key\) = /.test(found))).toEqual([]);
});

test('every subscription in streams and actors handles errors', () => {
  const bare = product
    .filter(({ path }) => /^(streams|actors)\//.test(path))
    .flatMap(({ path, code }) =>
      [...code.matchAll(/\.subscribe\(/g)].map((call) => ({ path, inside: untilClosed(code.slice(call.index)) })),
    )
    // An observer with an error handler, or one passed on whole.
    .filter(({ inside }) => !/\berror\b/.test(inside) && !/\.subscribe\(\s*[\w.]*(observer|subscriber|subject)\s*\)/i.test(inside));
  expect(bare).toEqual([]);
});

/** Returns the text up to the bracket that closes its first one. */
function untilClosed(code: string): string {
  let depth = 0;
  for (let at = 0; at < code.length; at++) {
    if (code[at] === '(') depth++;
    else if (code[at] === ')' && --depth === 0) return code.slice(0, at + 1);
  }
  return code;
}

// Tests and benchmarks that create the actors' runtime themselves, and why. All others use test/world, which has the product's.
const MAKE_A_RUNTIME: Readonly<Record<string, string>> = {
  'test/actors/runtime/runtime.test.ts': 'it tests the runtime, on kinds of its own and on two stores',
  'test/adapters/store/actors/lost-commit.test.ts': 'it tests the store under a runtime, on connections that lose answers',
  'test/api/feeds/inspector.test.ts': 'a kind of its own',
  'test/adapters/store/history-archive.test.ts': 'a kind of its own',
  'test/actors/agent/agent-life.test.ts': 'actors in memory, whose store fails',
  'test/actors/bridge-transfer/transfer-simulation.ts': 'actors in memory, whose store loses what a seed says',
  'test/actors/proposal/parts-fixture.ts': 'actors in memory',
  'bench/durable-steps.bench.ts': 'measures steps of a plain kind',
  'bench/runtime-step.bench.ts': 'actors in memory',
  'bench/executions.bench.ts': 'measures two stores against each other',
  'bench/paper-orders.bench.ts': 'measures each order in a transaction of its own',
};

test("tests use the product's composition of actors, and create a runtime of their own only with a reason", () => {
  const made = files.filter(({ path, code }) => /^(test|bench)\//.test(path) && /\bcreateRuntime\(/.test(code)).map(({ path }) => path);
  expect(made.sort()).toEqual(Object.keys(MAKE_A_RUNTIME).sort());
});

test('file names are kebab-case and say what is inside', () => {
  const wrong = files
    .map(({ path }) => path.split('/').at(-1) as string)
    .filter(
      (name) =>
        !/^[a-z0-9]+(-[a-z0-9]+)*(\.(d|test|bench|proof\.test|proof\.config))?\.(tsx?|mjs|js|css|html)$|^\d{4}_[a-z0-9_]+\.sql$/.test(
          name,
        ) || /^(utils?|helpers?|common|misc|managers?|services?|types)\./.test(name),
    );
  expect(wrong).toEqual([]);
});

test('a function is named by what it does, not by what it is of', () => {
  const named = product.flatMap(({ path, code }) =>
    [...code.matchAll(/\bfunction (\w+Of)\b|\bconst (\w+Of) = (?:async )?(?:<[^>]*>)?\(/g)].map(
      ([, one, other]) => `${path} ${one ?? other}`,
    ),
  );
  expect(named).toEqual([]);
});

test('the first line of every file describes it', () => {
  const silent = files.filter(({ path, text }) => !/^(#!.*\n)?(\/\*\*?|\/\/|--|<!) ?\S/.test(text) && !path.startsWith('web/vendor/'));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

test('the scanner sees code, not comments and texts', () => {
  expect(withoutTexts("a = 'Date.now()'; // Date.now()\n/* Math.random() */ b = `x${Math.random()}`;").match(NON_DETERMINISM)).toEqual([
    'Math.random',
  ]);
  expect(withoutTexts('const quote = /[\'"]/; Date.now();').match(NON_DETERMINISM)).toEqual(['Date.now']);
});
