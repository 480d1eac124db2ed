// Every command of the guides, from the first line of a page to the last, against a service that records a tape, and then on that tape.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdPorts } from '../harness/ports.ts';
import { newHome, type Service, startService } from './running-service.ts';
import { commandsOf, typeCommands } from './typed-commands.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const home = newHome();
const folder = mkdtempSync(join(tmpdir(), 'guides-'));
let service: Service;
beforeAll(async () => {
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
  // The entry rule always holds and the exit rule never does, whatever the market.
  const example = join(folder, 'examples/first-agent.json');
  writeFileSync(example, readFileSync(example, 'utf8').replace(/"value": [67]0/g, '"value": 100'));
  const bars = Array.from({ length: 48 }, (_, i) => `${Date.UTC(2024, 0, 1, i)},42000,42100,41900,42050,12.5`);
  writeFileSync(join(folder, 'btcusdt-1h.csv.gz'), gzipSync(['openTime,open,high,low,close,volume', ...bars, ''].join('\n')));
  writeFileSync(join(folder, 'btcusdt-quotes.csv.gz'), gzipSync(readFileSync(join(ROOT, 'test/fixtures/tape/quotes.csv'))));
  service = await startService({ home, first: true, args: ['--record', join(folder, 'day.tape.ndjson')] });
});
afterAll(async () => {
  await service?.discard();
  for (const one of [folder, home]) rmSync(one, { recursive: true, force: true });
});

/** Types every command of a page except matching lines, with some words replaced. */
async function typedPage(page: string, except: RegExp, words: readonly (readonly [RegExp, string])[] = []): Promise<string> {
  const all = commandsOf(page).map(({ commands }) => commands);
  const lines = all.join('\n').split('\n');
  const typed = lines.filter((line) => !except.test(line)).join('\n');
  return typeCommands(
    words.reduce((text, [what, by]) => text.replaceAll(what, by), typed),
    { folder, home, url: service.url },
  );
}

const NOTHING = /(?!)/;
/** Pages with the commands that are not typed, and the expected output. */
const PAGES: readonly (readonly [page: string, except: RegExp, said: readonly RegExp[]])[] = [
  [
    'docs/guides/first-agent.md',
    NOTHING,
    [
      /^Created My first agent at draft/m,
      /Z {2}hold: research only$/m,
      /^filled: buy /m,
      /"reason":"prices look wrong"/,
      /paused \(operator\)/,
      /^[\d.]+ live\n[\d.]+ \w+ over_age.*\n[\d.]+ live$/m,
    ],
  ],
  ['docs/guides/takes.md', NOTHING, [/^draft: spotchain:AAPLx, 500 USD/m]],
  ['docs/guides/risk.md', NOTHING, [/"maxTradeNotionalUsd"/]],
  ['docs/guides/fair-value.md', NOTHING, [/"score"/, /"netEdgeBps"/]],
  ['docs/guides/sessions.md', NOTHING, [/"regularAt"/]],
  ['docs/guides/launches.md', NOTHING, [/"agent_treasury"/, /"graduationThreshold"/]],
  ['docs/guides/bridging.md', NOTHING, [/"state":"completed"/, /"label":"vault"/]],
  ['docs/guides/marketplace.md', NOTHING, [/"priceUsd":"49.5/]],
  ['docs/guides/leaderboard.md', NOTHING, [/"label":"market maker"/, /"window":"7d"/]],
  ['docs/guides/history.md', NOTHING, [/"nextCursor"/, /BTCUSDT.*1h/]],
  // `test/api/actors.test.ts` runs the exported steps; `test/adapters/store/history-archive.test.ts` reads archived ones.
  ['docs/guides/time-travel.md', /^npx vitest|archive steps/, [/"machine":"agent@1"/]],
  // An update starts from an older clone: `test/adapters/store/migration-baseline.test.ts` migrates its database.
  ['docs/operations.md', /^git |^npm install/, [/"slots":/]],
];

test.each(PAGES)('%s', async (page, except, said) => {
  const printed = await typedPage(page, except);
  console.info(`${page}\n${printed}`);
  for (const words of said) expect(printed).toMatch(words);
});

test('docs/guides/trail.md', async () => {
  const [cut] = await service.database()<{ slot: number }[]>`select slot::float8 as slot from cuts order by slot limit 1`;
  const from = cut?.slot as number;
  const printed = await typedPage('docs/guides/trail.md', NOTHING, [
    [/2026-11-23T08:00:00Z/g, new Date(from).toISOString()],
    [/2026-11-23T10:00:00Z/g, new Date(from + 60_000).toISOString()],
  ]);
  console.info(printed);
  expect(printed.match(/^the trail is whole/gm)).toHaveLength(3);
  expect(printed).toContain('the clock of the feed ran two hours ahead');
});

test('docs/guides/tapes.md, on the tape recorded here', async () => {
  await service.stop();
  const tape = readFileSync(join(folder, 'day.tape.ndjson'), 'utf8').trim().split('\n');
  const times = tape.flatMap((line) => /"receivedAt":(\d+)/.exec(line)?.[1] ?? []).map(Number);
  const first = Math.ceil((times[0] as number) / 60_000 + 1) * 60_000;
  const at = (minutes: number): string => new Date(first + minutes * 60_000).toISOString();
  const range = await holdPorts(1);
  const port = range.first;
  const printed = await typedPage('docs/guides/tapes.md', /^npm start/, [
    [/2026-11-22T17:14:00Z/g, at(0)],
    [/2026-11-22T17:17:00Z/g, at(2)],
    [/2026-11-21T06:09:00Z/g, at(1)],
    [/127\.0\.0\.1:8090/g, `127.0.0.1:${port}`],
    // Typed in a separate terminal.
    [
      /^(npx sevengate tape serve .*)$/gm,
      `$1 --port ${port} & trap "kill $!" EXIT; until curl -sf http://127.0.0.1:${port}/v1/replay > /dev/null; do sleep 0.2; done`,
    ],
  ]);
  range.release();
  console.info(printed);
  for (const words of [/^verdict: the replay and the live run are equal$/m, /^same$/m, /"speed":0.5/, /instruments spotexchange:BTCUSDT/])
    expect(printed).toMatch(words);
});
