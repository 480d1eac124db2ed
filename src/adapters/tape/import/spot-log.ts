/**
 * Importer of raw Binance and Binance.US logs recorded by cryptofeed: `seconds.micros: {json}` per frame, decoded by the spot exchange's
 * own mapper.
 */

import { NO_FLAGS } from '../../../domain/market/quote.ts';
import type { TapeEvent } from '../../../domain/tape/tape.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { bookLevels, DEPTH_SOURCE, mapSpotFrame, PROVIDER } from '../../venues/spotexchange/map.ts';
import { isCount } from '../../venues/wire-decimal.ts';
import type { ImportCounts, Importer } from '../importer.ts';

const CONNECTED = /^wss:\/\/stream\.binance\.(?:com|us)\S*[?&]streams=(\S+) <-> (\d+(?:\.\d+)?)$/;
const FRAME = /^(\d{9,11}(?:\.\d+)?): (\{.*)$/;
const ANSWER = /^https:\/\/api\.binance\.(?:com|us)\/\S*?\/(\w+)(?:\?(\S*))? -> (\d{9,11}(?:\.\d+)?): (.*)$/;

/** Converts seconds with a fraction to integer milliseconds, digit by digit. */
function parseSeconds(seconds: string): EpochMs {
  const [whole, fraction = ''] = seconds.split('.') as [string, string?];
  return Number(whole) * 1_000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}

export const SPOT_LOG: Importer = {
  name: 'spot-log',
  accepts: 'raw logs of Binance or Binance.US sockets and REST answers as cryptofeed writes them ("seconds.micros: {json}" per line)',
  venues: ['spotexchange'],
  recognises: (sample) => /^(wss:\/\/stream|https:\/\/api)\.binance\.(com|us)\S* (<->|->) \d/.test(sample),

  async *read(source, _target, counts) {
    const instruments = new Map<string, string>();
    let epoch = 0;
    let number = 0;
    for await (const line of source.lines()) {
      number++;
      if (line === '') continue;
      counts.read++;
      const place = `line ${number}`;
      const connected = CONNECTED.exec(line);
      if (connected !== null) {
        for (const stream of (connected[1] as string).split('/')) {
          const symbol = stream.split('@', 1)[0] as string;
          instruments.set(symbol, symbol.toUpperCase());
        }
        const receivedAt = parseSeconds(connected[2] as string);
        yield { kind: 'feed_status', venue: 'spotexchange', source: PROVIDER, receivedAt, status: 'connected', epoch: ++epoch, detail: '' };
        continue;
      }
      const frame = FRAME.exec(line);
      if (frame !== null) {
        yield* frameEvents(frame[2] as string, parseSeconds(frame[1] as string), instruments, counts, place);
        continue;
      }
      const answer = ANSWER.exec(line);
      if (answer !== null) {
        yield* answerEvents(answer, counts, place);
        continue;
      }
      if (line.startsWith('configuration: ')) counts.skip('configuration');
      else counts.reject('unknown_shape', place, `neither a frame nor an answer: ${line.slice(0, 80)}`);
    }
  },
};

function* frameEvents(
  json: string,
  receivedAt: EpochMs,
  instruments: ReadonlyMap<string, string>,
  counts: ImportCounts,
  place: string,
): Generator<TapeEvent> {
  const messages = mapSpotFrame(Buffer.from(json, 'utf8'), receivedAt, instruments);
  if (messages.length === 0) counts.skip('carries_nothing');
  for (const message of messages) {
    if (message.kind === 'rejection') counts.reject(message.reason, place, message.detail);
    else if (
      message.kind === 'depth_diff' ||
      message.kind === 'day_ticker' ||
      message.kind === 'trade' ||
      message.kind === 'server_shutdown'
    )
      counts.skip(message.kind);
    else yield message;
  }
}

/** Yields the best bid and ask of a book snapshot. Other answers contain no price. */
function* answerEvents(answer: RegExpExecArray, counts: ImportCounts, place: string): Generator<TapeEvent> {
  const [, endpoint, query, at, body] = answer as unknown as [string, string, string | undefined, string, string];
  if (endpoint !== 'depth') {
    counts.skip(endpoint);
    return;
  }
  const instrument = new URLSearchParams(query ?? '').get('symbol');
  let book: Record<string, unknown> | null;
  try {
    book = JSON.parse(body) as Record<string, unknown> | null;
  } catch (error) {
    counts.reject('not_json', place, (error as Error).message);
    return;
  }
  const bids = bookLevels(book?.['bids']);
  const asks = bookLevels(book?.['asks']);
  const sequence = book?.['lastUpdateId'];
  if (instrument === null || bids === null || asks === null || !isCount(sequence)) {
    counts.reject('missing_field', place, 'a depth answer without symbol, lastUpdateId, bids or asks');
    return;
  }
  const [bid, ask] = [bids[0], asks[0]];
  const receivedAt = parseSeconds(at);
  const whole = bid !== undefined && ask !== undefined;
  yield {
    kind: 'quote',
    venue: 'spotexchange',
    instrument,
    source: DEPTH_SOURCE,
    observedAt: receivedAt,
    receivedAt,
    sourceTime: false,
    bid: bid?.[0] ?? null,
    ask: ask?.[0] ?? null,
    bidSize: bid?.[1] ?? null,
    askSize: ask?.[1] ?? null,
    sequence,
    quality: whole ? 'live' : 'degraded',
    flags: whole ? NO_FLAGS : ['one_sided'],
  };
}
