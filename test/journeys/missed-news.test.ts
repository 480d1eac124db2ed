// News that nobody receives, from the feed to the decision: live, stored in the database, and in the replay of the recording.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCut, writeCut } from '../../src/adapters/store/agents/cut-store.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { openTape } from '../../src/adapters/tape/tape-reader.ts';
import { createTape } from '../../src/adapters/tape/tape-writer.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { type Cut, observationHash } from '../../src/domain/market/cut.ts';
import { compileManifest } from '../../src/domain/agents/decide.ts';
import { EMPTY_BOOK } from '../../src/domain/agents/decision.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import { replayTape } from '../../src/simulation/replay/replay.ts';
import { replayAgent } from '../../src/simulation/replay/replay-agent.ts';
import { createMarketPipeline } from '../../streams/market-pipeline.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { payload } from '../domain/authored.ts';
import { testDatabase } from '../harness/postgres.ts';
import { heartbeat, news, quote } from '../streams/events.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 6, 15, 15, 0);
const KEY = 'spotexchange:BTCUSDT';
let folder: string;
let sql: Sql;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'missed-news-'));
  sql = openDatabase({ url: await testDatabase(), name: 'test' });
});
afterAll(async () => {
  await sql.end();
  await rm(folder, { recursive: true });
});

/** Yields half an hour: no connection, then a quiet wire, news of a theft, and silence. */
function* halfHour(): Generator<FeedMessage> {
  for (let at = START + 1_000; at < START + 30 * MINUTE; at += 5_000) {
    yield quote(at, { observedAt: at, bid: '100', ask: '100.1' });
    const minute = Math.floor((at - START) / MINUTE);
    const received = minute >= 5 && minute < 15;
    if (received && at % 15_000 === (START % 15_000) + 1_000) yield heartbeat(at, { venue: 'reference', source: 'news:wire' });
    if (minute === 10 && at === START + 10 * MINUTE + 1_000) yield news(at, 'theft', { symbols: ['BTC'], observedAt: at });
  }
}

test('an entry waits while news is not received, with the same reason live, from the database and from the tape', async () => {
  const read = readManifest(payload({ universe: ['BTCUSDT'], entryConditions: [{ type: 'no_negative_event', minSeverity: 'high' }] }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const compiled = compileManifest(read.manifest);
  const clock = createVirtualClock(START);
  const cuts: Cut[] = [];
  const failures: unknown[] = [];
  const pipeline = createMarketPipeline({
    clock,
    random: () => 0.5,
    feeds: [],
    instruments: () => CATALOG.entries.filter(({ key }) => key === KEY),
    needs: () => compiled.needs,
    onCut: (cut) => cuts.push(cut),
    onFailure: (error) => failures.push(error),
    periodMs: MINUTE,
  });
  const received: FeedMessage[] = [];
  pipeline.received.subscribe({ next: (message) => received.push(message), error: (error) => failures.push(error) });
  pipeline.start();
  for (const message of halfHour()) {
    clock.advanceTo(message.receivedAt);
    pipeline.push(message);
  }
  clock.advanceTo(START + 29 * MINUTE + 58_000);
  pipeline.stop();
  expect(failures).toEqual([]);

  const outcomes: string[] = [];
  const live: string[] = [];
  for (const cut of cuts.filter(({ slot }) => slot > START)) {
    await writeCut(sql, cut, 'streams');
    const stored = (await readCut(sql, cut.slot)) as Cut;
    const [row] = await sql<{ hash: string }[]>`select hash from observations where slot = ${cut.slot}`;
    const observation = stored.observations.get(KEY);
    if (observation === undefined) throw new Error('nothing was stored');
    expect(observationHash(observation)).toBe(row?.hash);
    const pass = () => ({ verdict: 'passed', rejections: [] }) as const;
    const verdict = compiled.decide(stored, EMPTY_BOOK, 'confirm', pass);
    expect(compiled.decide(cut, EMPTY_BOOK, 'confirm', pass)).toEqual(verdict);
    const [rule] = compiled.unpack(verdict.outcome).filter(({ type }) => type === 'no_negative_event');
    outcomes.push(`${rule?.observed ?? 'unknown'} ${verdict.disposition}`);
    live.push(`${cut.slot} ${row?.hash}`);
  }
  // From minute 6 on news are received. The last poll is at 14:46, and five minutes later the state is unknown.
  const runs = outcomes.reduce<[string, number][]>((all, word) => {
    const last = all.at(-1);
    if (last?.[0] === word) last[1]++;
    else all.push([word, 1]);
    return all;
  }, []);
  expect(runs).toEqual([
    ['unknown hold', 5],
    ['none propose_entry', 5],
    ['high hold', 9],
    ['unknown hold', 10],
  ]);

  const file = join(folder, 'missed-news.tape');
  const writer = await createTape(file, { tape: 1, agents: [replayAgent(read.manifest, 0, 'confirm')] });
  await writer.write(received.filter((message) => message.kind !== 'rejection'));
  await writer.close();
  const replay = async () => {
    const seen: string[] = [];
    const decided: string[] = [];
    const result = await replayTape({
      tapes: [await openTape(file)],
      onDecisions: (rows, cut) => {
        seen.push(`${cut.slot} ${observationHash(cut.observations.get(KEY) as never)}`);
        for (const row of rows) decided.push(row.outcome);
      },
    });
    return { seen, decided, hash: result.resultHash };
  };
  const first = await replay();
  expect(first.seen).toEqual(live.slice(0, first.seen.length));
  expect(first.seen.length).toBeGreaterThan(25);
  expect(await replay()).toEqual(first);
});
