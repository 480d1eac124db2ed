// Live run in miniature with a recorder: the product's own pipeline, store, agents, Takes, ticks, timers and executions.
import { expect } from 'vitest';
import { createProposalHandler } from '../../actors/proposal/commands.ts';
import { createKillSwitch } from '../../actors/proposal/kill-switch.ts';
import { createPreferencesHandler } from '../../actors/risk-preferences/commands.ts';
import { eachRow } from '../../actors/runtime/containment.ts';
import { createTakeHandler } from '../../actors/take/commands.ts';
import { writeCut } from '../../src/adapters/store/agents/cut-store.ts';
import { createDispatchStore } from '../../src/adapters/store/agents/dispatch-store.ts';
import { activeManifests } from '../../src/adapters/store/agents/manifest-reads.ts';
import type { Sql } from '../../src/adapters/store/database.ts';
import { createKillSwitchStore } from '../../src/adapters/store/orders/kill-switch-store.ts';
import { createProposalStore } from '../../src/adapters/store/orders/proposal-store.ts';
import { createPreferencesStore } from '../../src/adapters/store/risk/risk-preferences-reads.ts';
import { createTakeReads } from '../../src/adapters/store/takes/take-reads.ts';
import { createTapeRecorder } from '../../src/adapters/tape/recorder.ts';
import { compileManifest } from '../../src/domain/agents/decide.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import type { IndicatorNeed } from '../../src/domain/market/cut.ts';
import { NO_FLAGS, type Quote } from '../../src/domain/market/quote.ts';
import { refuse } from '../../src/domain/values/refusal.ts';
import { TAKE_TICK_MS } from '../../src/domain/values/time.ts';
import { createPreTrade } from '../../src/trading/pre-trade.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { createMarketPipeline } from '../../streams/market-pipeline.ts';
import { actorsOn, countedIds } from '../world/actor-world.ts';
import { NO_TRADES, riskOn } from './trading.ts';
import { waitFor } from './wait-for.ts';

export const ORG = '00000000-0000-7000-8000-000000000001';
export const PERIOD = 60_000;
export const START = Date.UTC(2025, 0, 6, 15, 0);

export interface LiveRunOptions {
  /** Maximum wait of a proposal for its approval, in milliseconds. */
  readonly approvalMs?: number;
  /** Ids of the organizations. */
  readonly orgs?: readonly string[];
  /** True while the store fails every read of the recorder. Default never. */
  readonly recorderFails?: () => boolean;
}

export interface HalfMinute {
  /** True to skip the tick. */
  readonly missed?: boolean;
  readonly meanwhile?: () => Promise<void>;
}

/** Creates a live process in miniature on a clock that the test moves: pipeline, store, agents, ticks, and a recorder. */
export async function liveRun(sql: Sql, file: string, { approvalMs, orgs = [ORG], recorderFails = () => false }: LiveRunOptions = {}) {
  for (const id of orgs) await sql`insert into organizations (id, name) values (${id}, ${`org ${id.slice(-1)}`})`;
  const clock = createVirtualClock(START + 10_000);
  const actors = actorsOn(sql, clock, countedIds(START).newId);
  const { runtime, commands, newId, workersOf, carrying } = actors;
  const ticker = actors.ticker(approvalMs === undefined ? {} : { trading: { approvalMs } });
  const takeReads = createTakeReads(sql);
  const takes = createTakeHandler({
    runtime,
    takes: takeReads,
    catalog: CATALOG,
    clock,
    newId,
    disabledVenues: () => ({}),
    funding: { isSimulated: true },
  });
  const quotes = new Map<string, Quote>();
  const preTrade = createPreTrade({
    ...riskOn(sql, { clock, bus: { latest: (key) => quotes.get(key) ?? null } }),
    orderBooks: { read: async () => refuse('unavailable', 'no book') },
  });
  const proposals = createProposalStore(sql);
  const activities = carrying(workersOf({ preTrade, clients: {}, flows: NO_TRADES }));
  const killSwitch = createKillSwitch({
    contained: eachRow((error) => {
      throw error;
    }),
    store: createKillSwitchStore(sql),
    runtime,
    preTrade,
    bid: (key) => quotes.get(key)?.bid ?? null,
    clock,
  });
  const writes: Promise<unknown>[] = [];
  let needs: readonly IndicatorNeed[] = [];
  let looked = new Set<string>();
  const pipeline = createMarketPipeline({
    clock,
    random: () => 0,
    feeds: [],
    instruments: () => CATALOG.entries.filter(({ key }) => looked.has(key)),
    needs: () => needs,
    onCut: (cut) => writes.push(writeCut(sql, cut, 'streams')),
    onFailure: (error) => {
      throw error;
    },
  });
  /** Timers of the recorder. The test fires them, so that its reads end before time moves on. */
  let timers: (() => void)[] = [];
  const stop = createTapeRecorder({
    sql: failing(sql, recorderFails),
    pipeline,
    file,
    clock: { now: () => clock.now(), deadline: (_, call) => (timers.push(call), () => {}) },
    log: (error) => {
      if (!recorderFails()) throw error;
    },
  });
  pipeline.start();
  let price = 64_000;
  let seed = 3;

  /** Receives a best bid and ask of the coin, as the streams do. */
  function received(bid: string, ask: string, at: number): Quote {
    const made: Quote = {
      kind: 'quote',
      venue: 'spotexchange',
      instrument: 'BTCUSDT',
      source: 'binance:bookTicker',
      observedAt: at,
      receivedAt: at,
      sourceTime: false,
      bid,
      ask,
      bidSize: '1',
      askSize: '1',
      sequence: at,
      quality: 'live',
      flags: NO_FLAGS,
    };
    pipeline.push(made);
    return made;
  }

  /** Receives a quote with a spread of a dollar, and uses it to assess orders. */
  function quote(bid: string, at: number): void {
    quotes.set('spotexchange:BTCUSDT', received(bid, String(Number(bid) + 1), at));
  }

  return {
    commands,
    orders: createProposalHandler({ runtime, proposals, preTrade, clock }),
    preferences: createPreferencesHandler({ store: createPreferencesStore(sql), clock }),
    takes,
    takeReads,
    stop: async () => {
      await activities.stop();
      expect(actors.errors).toEqual([]);
      await stop();
    },
    clock,
    async look(): Promise<void> {
      const due = timers;
      timers = [];
      for (const call of due) call();
      await waitFor(() => timers.length === due.length, { what: 'the look of the recorder', deadlineMs: 5_000 });
    },
    async refreshNeeds(): Promise<void> {
      const compiled = (await activeManifests(sql)).map(({ manifest: active }) => compileManifest(active()));
      needs = [...new Map(compiled.flatMap((one) => one.needs).map((need) => [JSON.stringify(need), need])).values()];
      looked = new Set(compiled.flatMap((one) => one.instruments));
    },
    quote,
    /**
     * Runs half a minute with one price, with the ticks of Takes and at full minutes of agents, and then the due work.
     * A null price is a silence of the venue. `meanwhile` runs after the ticks and before the due work.
     */
    async half(number: number, bid: string | null, { missed = false, meanwhile }: HalfMinute = {}): Promise<void> {
      const slot = START + number * TAKE_TICK_MS;
      for (const at of [slot - 400, slot + 200]) {
        clock.advanceTo(at);
        if (bid !== null) quote(bid, at);
      }
      await Promise.all(writes.splice(0));
      clock.advanceTo(slot + 900);
      for (const periodMs of [TAKE_TICK_MS, PERIOD]) {
        if (missed || slot % periodMs !== 0) continue;
        for (const { shard } of await createDispatchStore(sql).dueShards(periodMs, slot)) await ticker.tick(periodMs, shard, slot);
      }
      await meanwhile?.();
      await killSwitch.look();
      for (let round = 0; round < 4; round++) {
        await actors.timers.fireDue();
        await activities.carryDue();
        clock.advanceTo(clock.now() + 5);
      }
      clock.advanceTo(slot + 8_000);
      await this.look();
    },
    /** Runs one minute of prices up to and beyond the slot, and its tick unless it is missed. */
    async minute(number: number, missed = false): Promise<void> {
      const slot = START + number * PERIOD;
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      const open = price;
      price += ((seed % 201) - 110) / 10;
      for (const at of [slot - 20_000, slot - 400, slot, slot + 300]) {
        if (at <= clock.now()) continue;
        clock.advanceTo(at);
        received(price.toFixed(2), (price + 0.01).toFixed(2), at);
        pipeline.push({
          kind: 'quote',
          venue: 'spotchain',
          instrument: 'AAPLx',
          source: 'jupiter:quote',
          observedAt: at,
          receivedAt: at,
          sourceTime: false,
          bid: '198.10',
          ask: '198.30',
          bidSize: '1',
          askSize: '1',
          sequence: at,
          quality: 'live',
          flags: NO_FLAGS,
        });
        pipeline.push({
          kind: 'reference',
          venue: 'reference',
          instrument: 'AAPL',
          source: 'pyth:hermes',
          observedAt: at,
          receivedAt: at,
          feedUpdatedAt: at,
          referencePrice: '200',
          confidence: '0.05',
          publisherSession: null,
          quality: 'live',
          flags: NO_FLAGS,
        });
      }
      const [high, low] = [Math.max(open, price), Math.min(open, price)];
      pipeline.push({
        kind: 'candles',
        venue: 'spotexchange',
        instrument: 'BTCUSDT',
        timeframe: '1m',
        source: 'binance:kline',
        receivedAt: clock.now(),
        candles: [
          {
            openTime: slot - PERIOD,
            open: open.toFixed(2),
            high: high.toFixed(2),
            low: low.toFixed(2),
            close: price.toFixed(2),
            volume: '1',
          },
        ],
      });
      await Promise.all(writes.splice(0));
      clock.advanceTo(slot + 900);
      if (!missed) {
        await createDispatchStore(sql).dueShards(PERIOD, slot);
        await ticker.tick(PERIOD, 0, slot);
      }
      clock.advanceTo(slot + 8_000);
      await this.look();
    },
  };
}

/** Returns the database for a reader that gets errors while `fails` says so. */
function failing(sql: Sql, fails: () => boolean): Sql {
  return new Proxy(sql, {
    apply: (target, self, words: never[]) =>
      fails() ? Promise.reject(new Error('the database does not answer')) : (Reflect.apply(target, self, words) as unknown),
  });
}
