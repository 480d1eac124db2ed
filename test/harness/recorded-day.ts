/** Synthetic tape of six minutes: a coin, its perpetual and a share's token, with a silence of twenty seconds in the fourth minute. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TapeEvent, tapeHeaderLine, tapeLine } from '../../src/domain/tape/tape.ts';

export const DAY_BEGIN = Date.parse('2026-03-02T14:30:00.000Z');
export const DAY_END = DAY_BEGIN + 6 * 60_000 - 1_000;
/** Start of the spot exchange's silence of twenty seconds. */
export const SILENCE = DAY_BEGIN + 200_000;
const SILENCE_MS = 20_000;
const STEP_MS = 1_000;

/** Returns the coin's bid at a time of the tape: whole dollars, rising by one a second. */
export const bidAt = (at: number): string => String(63_000 + Math.floor((at - DAY_BEGIN) / STEP_MS));

export interface RecordedDay {
  readonly folder: string;
  readonly file: string;
  remove(): void;
}

/** Writes `day.tape.ndjson`, a second tape of its first minute, and a file that is no tape, into a folder of their own. */
export function recordedDay(): RecordedDay {
  const folder = mkdtempSync(join(tmpdir(), 'sevengate-tape-'));
  const file = join(folder, 'day.tape.ndjson');
  const events = dayEvents();
  writeTape(file, events);
  writeTape(
    join(folder, 'minute.tape.ndjson'),
    events.filter(({ receivedAt }) => receivedAt <= DAY_BEGIN + 60_000),
  );
  writeFileSync(join(folder, 'broken.tape.ndjson'), 'no tape\n');
  return { folder, file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function writeTape(file: string, events: readonly TapeEvent[]): void {
  writeFileSync(file, `${[tapeHeaderLine({ tape: 1, source: 'made for a test' }), ...events.map(tapeLine)].join('\n')}\n`);
}

function dayEvents(): TapeEvent[] {
  const connected = { status: 'connected', epoch: 1, detail: '' } as const;
  const events: TapeEvent[] = [
    { kind: 'feed_status', venue: 'spotexchange', source: 'binance:bookTicker', receivedAt: DAY_BEGIN, ...connected },
    {
      kind: 'candles',
      venue: 'spotexchange',
      instrument: 'BTCUSDT',
      timeframe: '5m',
      source: 'binance:klines',
      receivedAt: DAY_BEGIN,
      candles: [{ openTime: DAY_BEGIN - 300_000, open: '62990', high: '63010', low: '62980', close: '63000', volume: '12.5' }],
    },
  ];
  for (let at = DAY_BEGIN; at <= DAY_END; at += STEP_MS) {
    const sequence = (at - DAY_BEGIN) / STEP_MS + 1;
    const quote = { kind: 'quote', observedAt: at, receivedAt: at, sourceTime: true, sequence, quality: 'live', flags: [] } as const;
    const bid = bidAt(at);
    if (at < SILENCE || at >= SILENCE + SILENCE_MS)
      events.push({
        ...quote,
        venue: 'spotexchange',
        instrument: 'BTCUSDT',
        source: 'binance:bookTicker',
        bid,
        ask: String(Number(bid) + 2),
        bidSize: '1.5',
        askSize: '0.8',
      });
    events.push({
      kind: 'perp_context',
      venue: 'evmvenue',
      instrument: 'BTC',
      source: 'hyperliquid:activeAssetCtx',
      observedAt: at,
      receivedAt: at,
      markPrice: bid,
      oraclePrice: bid,
      hourlyFunding: '0.0000125',
      openInterest: '1000',
      dayNotional: '1000000',
    });
    events.push({
      ...quote,
      venue: 'spotchain',
      instrument: 'AAPLx',
      source: 'jupiter:quote',
      bid: '187.4',
      ask: '187.6',
      bidSize: '10',
      askSize: '10',
    });
  }
  return events;
}
