/** Importer of oracle prices: Hermes answers of Pyth, and the Chainlink ticks by which Polymarket settles. Both are reference prices. */
import { CATALOG } from '../../../domain/catalog/catalog.ts';
import { isPositive } from '../../../domain/values/decimal.ts';
import { NO_FLAGS } from '../../../domain/market/quote.ts';
import { bareFeedId, mapHermesUpdate } from '../../venues/reference/hermes-map.ts';
import { parseTime } from './quote-csv.ts';
import { firstLine, type Importer } from '../importer.ts';
import { TapeError } from '../tape-error.ts';

interface HermesRecording {
  readonly fetchTimestamp?: unknown;
  readonly metadata?: { readonly fetchedAt?: unknown };
  readonly priceFeeds?: readonly { readonly id?: unknown; readonly symbol?: unknown }[];
  readonly hermesResponse?: unknown;
  readonly parsed?: readonly {
    readonly price?: { readonly publish_time?: unknown };
    readonly metadata?: { readonly proof_available_time?: unknown };
  }[];
}

export const HERMES_RECORDING: Importer = {
  name: 'hermes',
  accepts: 'answers of Pyth Hermes (/v2/updates/price/latest), bare or with fetchTimestamp, priceFeeds and hermesResponse around them',
  venues: ['reference'],
  recognises: (sample) => /^\s*\{/.test(sample) && (sample.includes('"priceFeeds"') || /"binary"\s*:\s*\{\s*"encoding"/.test(sample)),

  async *read(source, target, counts) {
    let recording: HermesRecording;
    try {
      recording = JSON.parse(await source.text()) as HermesRecording;
    } catch (error) {
      throw new TapeError(source.file, '', `is not JSON: ${(error as Error).message}`);
    }
    const answer = (recording.hermesResponse ?? recording) as HermesRecording;
    const symbols = new Map(CATALOG.feeds.map((feed) => [bareFeedId(feed.feedId), feed.instrument]));
    for (const { id, symbol } of recording.priceFeeds ?? []) {
      if (typeof id === 'string' && typeof symbol === 'string' && /^(0x)?[0-9a-f]{64}$/i.test(id))
        symbols.set(bareFeedId(id), symbol.split('/', 1)[0] as string);
    }
    counts.read += Array.isArray(answer.parsed) ? answer.parsed.length : 0;
    const times = (answer.parsed ?? []).flatMap((one) => {
      const publish = one.price?.publish_time;
      const proof = one.metadata?.proof_available_time;
      return [publish, proof].filter((time): time is number => typeof time === 'number').map((time) => time * 1_000);
    });
    const fetched = typeof recording.fetchTimestamp === 'string' ? parseTime(recording.fetchTimestamp) : null;
    if (fetched === null && times.length === 0)
      throw new TapeError(source.file, '', 'says neither when it was fetched nor when its prices were published');
    // Recorders stamp the request, but the answer may contain later publications.
    const receivedAt = Math.max(fetched ?? 0, ...times);
    const { prices, rejections } = mapHermesUpdate(answer, symbols, receivedAt);
    for (const one of rejections) counts.reject(one.reason, 'the answer', one.detail);
    for (const price of prices) {
      if (target.instrument === null || price.instrument === target.instrument) yield price;
      else counts.skip('other_instrument');
    }
  },
};

const TICKS_HEADER = 'feed_ts_ms,value,full_accuracy_value,server_ts_ms,recv_ms';

/** Scales an integer of 10^-18 units, as on the chain, without trailing zeros. Null if the text is not an integer. */
function fromWei(text: string): string | null {
  if (!/^\d{1,40}$/.test(text)) return null;
  const digits = text.replace(/^0+(?=\d)/, '').padStart(19, '0');
  const fraction = digits.slice(-18).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, -18) : `${digits.slice(0, -18)}.${fraction}`;
}

export const ORACLE_TICKS: Importer = {
  name: 'oracle-ticks',
  accepts: `CSV with the header ${TICKS_HEADER} (Chainlink ticks as Polymarket streams them), named <asset>USD-... or with --instrument`,
  venues: ['reference'],
  recognises: (sample) => firstLine(sample) === TICKS_HEADER,

  async *read(source, target, counts) {
    const instrument = target.instrument ?? /(?:^|[/\\])([A-Z0-9]+)USD-[^/\\]*$/.exec(source.file)?.[1];
    if (instrument === undefined) throw new TapeError(source.file, '', 'does not say in its name which asset it prices: use --instrument');
    for await (const { line, fields } of source.records()) {
      if (line === 1) continue;
      counts.read++;
      const place = `line ${line}`;
      const [feed = '', , exact = '', server = '', received = ''] = fields.map((field) => field.trim());
      const [feedUpdatedAt, observedAt, receivedAt] = [parseTime(feed), parseTime(server), parseTime(received)];
      const referencePrice = fromWei(exact);
      if (feedUpdatedAt === null || observedAt === null || receivedAt === null) {
        counts.reject('bad_time', place, `times ${feed}, ${server}, ${received}`);
      } else if (referencePrice === null) counts.reject('bad_number', place, `full_accuracy_value ${exact}`);
      else if (!isPositive(referencePrice)) counts.reject('non_positive_price', place, `the price is ${referencePrice}`);
      else {
        yield {
          kind: 'reference',
          venue: 'reference',
          instrument,
          source: 'chainlink:polymarket',
          observedAt,
          receivedAt,
          feedUpdatedAt,
          referencePrice,
          // This feed publishes no confidence interval.
          confidence: '0',
          publisherSession: null,
          quality: 'live',
          flags: NO_FLAGS,
        };
      }
    }
  },
};
