/** Measures how much of the code base a reader must know: prints the table of `npm run house`, counted from the files in git. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  .split('\n')
  .filter(Boolean);
const read = (path) => readFileSync(join(root, path), 'utf8');

const PRODUCT = /^(src|streams|actors|api|web|clients|migrations)\/.*\.(tsx?|mjs|js|css|html|sql)$/;
/** Generated files, by their path or their first lines. */
const GENERATED = /^(web\/vendor\/|clients\/(typescript\/src|python\/sevengate)\/(api|feed-messages)\.|api\/examples\.json|docs\/openapi)/;
const isGenerated = (path) => GENERATED.test(path) || /\b(generated|made) by\b/i.test(read(path).split('\n', 2).join(' '));

const product = tracked.filter((path) => PRODUCT.test(path));
const generated = tracked.filter(
  (path) => /\.(ts|py|js|json|md|svg)$/.test(path) && !/lock\.json$|^test\/fixtures\//.test(path) && isGenerated(path),
);
const handWritten = product.filter((path) => !isGenerated(path));
const texts = new Map(handWritten.map((path) => [path, read(path)]));
const lines = (text) => text.split('\n');
const isComment = (line) => /^(\/\/|\/\*|\*|--|<!--|#)/.test(line);
const codeLines = (text) =>
  lines(text)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !isComment(line));
const count = (pattern, paths = handWritten) => paths.reduce((sum, path) => sum + (texts.get(path).match(pattern) ?? []).length, 0);
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
const code = handWritten.filter((path) => /\.(tsx?|mjs|js)$/.test(path));
const typed = handWritten.filter((path) => /\.tsx?$/.test(path));

/** Returns lines of code that name a field, in either case. Migrations are left out, because they are history. */
function placesOf(camel) {
  const snake = camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const name = new RegExp(`\\b(${camel}|${snake})\\b`);
  const found = code.map((path) => codeLines(texts.get(path)).filter((line) => name.test(line)).length).filter((n) => n > 0);
  return `${sum(found)} in ${found.length} files`;
}

/** Returns folders in which a file or folder is named after a capability. */
function foldersOf(word) {
  const named = product.filter((path) =>
    path.split('/').some((part) =>
      part
        .split('.')[0]
        .split('-')
        .some((one) => one === word || one === `${word}s`),
    ),
  );
  return new Set(named.map((path) => dirname(path))).size;
}

/** Files to which every capability must be added. */
const CENTRAL = [
  'capabilities',
  'api/ports.ts',
  'table-writers.ts',
  'guarded-tables.ts',
  'actor-records.ts',
  'permission.ts',
  'problems.ts',
  'documented-feeds.ts',
  'api/v1/index.ts',
  'tag-texts.ts',
  'settings.ts',
  'start-roles.ts',
];
const central = CENTRAL.filter((name) => handWritten.some((path) => path.endsWith(name) || path.includes(`/${name}/`)));

/** Groups paths by a key. */
function grouped(paths, of) {
  const groups = new Map();
  for (const path of paths) groups.set(of(path), [...(groups.get(of(path)) ?? []), path]);
  return [...groups];
}
const [widest] = grouped(product, dirname).sort((one, other) => other[1].length - one[1].length);
const shared = grouped(handWritten, basename).filter(([, paths]) => paths.length > 1);

/**
 * Interfaces with functions, and those that exactly one function, class or constant of the product declares to make: a
 * signature that exists twice. Interfaces that nothing declares to make are parameters and not counted as such.
 */
function interfacesWithOne() {
  const declared = [...typed].flatMap((path) =>
    [...texts.get(path).matchAll(/^(?:export )?interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)]
      .filter(([, , body]) => /^ {2}(?:readonly )?\w+\??(?:<[^>]*>)?(?:\(|: \(.*\) =>)/m.test(body))
      .map(([, name]) => name),
  );
  const makers = new Map();
  for (const text of texts.values())
    for (const [, made] of text.matchAll(/(?:\): |implements |satisfies |\bconst \w+: )([\w<>&,.'| ]+?) ?(?:\{$|=> |=>$|= |;)/gm))
      for (const [name] of made.matchAll(/\b[A-Z]\w+/g)) makers.set(name, (makers.get(name) ?? 0) + 1);
  return `${declared.filter((name) => makers.get(name) === 1).length} of ${declared.length}`;
}

/** Returns our own files that a file imports, types too. */
function importsOf(path) {
  const found = [...(texts.get(path) ?? '').matchAll(/(?:from|import)\s*\(?['"](\.[^'"]+)['"]/g)];
  return found.map(([, to]) => posix.normalize(posix.join(posix.dirname(path), to))).filter((to) => texts.has(to));
}

/** Files that each walk passes in order, from its route or feed to the commit and the answer. */
const WALKS = {
  quote:
    'src/adapters/venues/venue-socket src/adapters/venues/spotexchange/feed src/adapters/venues/spotexchange/map streams/merge-feeds streams/market-pipeline streams/slot-cut src/adapters/store/agents/cut-store actors/ticking/shard-ticker actors/ticking/trading-decisions src/domain/agents/decide src/adapters/store/agents/tick-store src/adapters/store/actors/announcement-tail api/feeds/announcement-groups api/feeds/channels/decisions api/feeds/fan-out src/adapters/queue/quote-bus api/feeds/channels/quotes',
  pause:
    'api/emergency api/v1/agents/agent-halts actors/agent/commands actors/runtime/runtime actors/agent/machine actors/agent/effects src/adapters/store/actors/actor-store actors/proposal/cancel-open',
  swap: 'api/v1/spotchain actors/prepared-transaction/swap-commands src/trading/primary-chain src/adapters/venues/spotchain/orders actors/prepared-transaction/submission actors/prepared-transaction/execution src/adapters/solana/rpc actors/prepared-transaction/swap-purpose src/adapters/store/actors/actor-store',
  Take: 'api/v1/takes actors/take/commands actors/runtime/runtime actors/take/machine actors/take/effects src/adapters/store/actors/actor-store src/adapters/store/takes/take-records actors/ticking/trading-decisions src/domain/agents/decide',
  backtest:
    'api/v1/agents/agent-evaluations actors/evaluation/commands actors/runtime/runtime actors/evaluation/machine actors/evaluation/effects actors/evaluation/run-worker src/simulation/backtest/backtest-runner src/simulation/backtest/simulate src/adapters/store/evaluations/evaluation-records',
};

/** Returns the files of a walk and all of our files that they import, types too. A missing file is an error: the walk must be updated. */
function walked(names) {
  const steps = names.split(' ').map((name) => `${name}.ts`);
  const gone = steps.filter((path) => !texts.has(path));
  if (gone.length > 0) throw new Error(`a walk passes files that are not there: ${gone.join(', ')}`);
  return `${steps.length}/${new Set([...steps, ...steps.flatMap(importsOf)]).size}`;
}

const definitions = (name) => handWritten.filter((path) => new RegExp(`\\bconst ${name} = `).test(texts.get(path))).length;
const TABLE = [
  ['places of the field `tradingSince`', placesOf('tradingSince'), '3'],
  ['places of the field `pauseCause`', placesOf('pauseCause'), '3'],
  ['folders of a capability (bridge / launch / prediction)', ['bridge', 'launch', 'prediction'].map(foldersOf).join(' / '), '3'],
  ['central lists', central.length, '1'],
  [
    'product files / code lines',
    `${handWritten.length} / ${sum(handWritten.map((path) => codeLines(texts.get(path)).length))}`,
    '1,100 / 120,000',
  ],
  ['generated files / lines', `${generated.length} / ${sum(generated.map((path) => lines(read(path)).length))}`, '0'],
  ['widest folder', `${widest[0]} ${widest[1].length}`, '25'],
  ['files that share a basename / basenames', `${sum(shared.map(([, paths]) => paths.length))} / ${shared.length}`, '0'],
  ['interfaces with one implementation', interfacesWithOne(), '0'],
  ['functions `…Of`', count(/\bfunction \w+Of\b|\bconst \w+Of = (?:async )?(?:<[^>]*>)?\(/g, code), '0'],
  [
    'definitions of `DAY_MS` / places of the USDC mint',
    `${definitions('DAY_MS')} / ${count(/EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v/g)}`,
    '1 / 1',
  ],
  ['`as never`', count(/\bas never\b/g, typed), '20'],
  ['resources, each field once', count(/^export const \w+ = resource\(/gm, typed), 'every kind'],
  [
    'files on a walk / with all their imports (' + Object.keys(WALKS).join(', ') + ')',
    Object.values(WALKS).map(walked).join('  '),
    '20 10 14 16 16',
  ],
];
for (const [what, now, goal] of TABLE) process.stdout.write(`${what.padEnd(72)}${String(now).padEnd(28)}goal ${goal}\n`);
