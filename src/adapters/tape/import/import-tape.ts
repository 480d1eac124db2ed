/** Import of recordings in foreign formats: detects the format by its content, maps, counts, and writes one valid tape. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { whyNotRead } from '../../named-file.ts';
import { TAPE_BATCH, type TapeEvent, type TapeHeader, tapeEventProblem } from '../../../domain/tape/tape.ts';
import { isoTime } from '../../../domain/values/time.ts';
import { type InstrumentKey, instrumentKey, type Venue } from '../../../domain/market/venue.ts';
import { CsvFault, csvRecords } from '../../csv-records.ts';
import { CANDLE_CSV } from './candle-csv.ts';
import { LEAN } from './lean.ts';
import { HERMES_RECORDING, ORACLE_TICKS } from './oracle.ts';
import { POOL_TRADES } from './pool-trades.ts';
import { QUOTE_CSV } from './quote-csv.ts';
import { SPOT_LOG } from './spot-log.ts';
import { ImportCounts, type Importer, type ImportSource, type ImportTarget } from '../importer.ts';
import { TapeError } from '../tape-error.ts';
import { createTape } from '../tape-writer.ts';

/** Importers in the order of detection, the most certain formats first. */
export const IMPORTERS: readonly Importer[] = [SPOT_LOG, ORACLE_TICKS, CANDLE_CSV, HERMES_RECORDING, POOL_TRADES, QUOTE_CSV, LEAN];

const SAMPLE_BYTES = 16 * 1024;
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

export interface ImportReport {
  readonly format: string;
  readonly file: string;
  readonly read: number;
  readonly events: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly rejected: Readonly<Record<string, { readonly count: number; readonly first: string }>>;
  readonly instruments: readonly InstrumentKey[];
  /** Time of the first event, ISO 8601, or null if nothing was imported. */
  readonly from: string | null;
  readonly to: string | null;
  readonly bytes: number;
}

interface ImportOptions extends ImportTarget {
  readonly from: string;
  readonly to: string;
  readonly overwrite?: boolean;
  /** Receives the number of bytes read and the total. */
  readonly progress?: (bytesRead: number, bytesTotal: number) => void;
}

/**
 * Imports one recording into a new tape.
 * @throws TapeError if the format is unknown or does not fit the venue, or no event results; nothing is written then
 */
export async function importTape(options: ImportOptions): Promise<ImportReport> {
  const file = options.from;
  const { sample, gzipped, size } = await readSample(file);
  if (/^(\{"tape"|SEVTAPE)/.test(sample)) throw new TapeError(file, '', 'is a tape already; use tape convert to change its form');
  const importer = IMPORTERS.find((one) => one.recognises(sample, file));
  if (importer === undefined) {
    throw new TapeError(file, '', `has a format that is not known; accepted are: ${IMPORTERS.map(({ accepts }) => accepts).join('; ')}`);
  }
  if (!importer.venues.includes(options.venue)) {
    throw new TapeError(
      file,
      '',
      `is a ${importer.name} recording, which cannot stand for ${options.venue}; use --venue ${importer.venues.join(' or ')}`,
    );
  }
  const counts = new ImportCounts();
  // The header lists the instruments, which are known only at the end, so a first pass collects them.
  const survey = await surveyed(importer, openSource(file, gzipped), options, counts);
  if (survey.events === 0) {
    const [reason, first] = [...counts.rejected][0] ?? [];
    const why =
      first === undefined
        ? `${counts.read} records held no price${[...counts.skipped].map(([reason, count]) => `, ${count} of them ${reason}`).join('')}`
        : `all were refused, first ${first.firstPlace}: ${reason}, ${first.firstDetail}`;
    throw new TapeError(file, '', `yielded no event: ${why}`);
  }
  const header: TapeHeader = {
    tape: 1,
    recordedAt: isoTime(survey.firstAt),
    source: `${importer.name} import of ${basename(file)}`,
    venues: survey.venues,
    instruments: survey.instruments,
  };
  const writer = await createTape(options.to, header, options.overwrite === undefined ? {} : { overwrite: options.overwrite });
  try {
    let batch: TapeEvent[] = [];
    const source = openSource(file, gzipped, (bytes) => options.progress?.(bytes, size));
    for await (const event of sound(importer.read(source, options, new ImportCounts()), new ImportCounts())) {
      batch.push(event);
      if (batch.length < TAPE_BATCH) continue;
      await writer.write(batch);
      batch = [];
    }
    await writer.write(batch);
    const { bytes } = await writer.close();
    return {
      format: importer.name,
      file: options.to,
      read: counts.read,
      events: survey.events,
      skipped: Object.fromEntries(counts.skipped),
      rejected: Object.fromEntries(
        [...counts.rejected].map(([reason, { count, firstPlace, firstDetail }]) => [
          reason,
          { count, first: `${firstPlace}: ${firstDetail}` },
        ]),
      ),
      instruments: survey.instruments,
      from: isoTime(survey.firstAt),
      to: isoTime(survey.lastAt),
      bytes,
    };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

interface Survey {
  readonly events: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly venues: readonly Venue[];
  readonly instruments: readonly InstrumentKey[];
}

async function surveyed(importer: Importer, source: ImportSource, target: ImportTarget, counts: ImportCounts): Promise<Survey> {
  const venues = new Set<Venue>();
  const instruments = new Set<InstrumentKey>();
  let events = 0;
  let firstAt = 0;
  let lastAt = 0;
  for await (const event of sound(importer.read(source, target, counts), counts)) {
    if (events++ === 0) firstAt = event.receivedAt;
    lastAt = event.receivedAt;
    if (event.kind === 'command' || event.kind === 'cut' || event.kind === 'inputs') continue;
    venues.add(event.venue);
    if ('instrument' in event) instruments.add(instrumentKey(event.venue, event.instrument));
  }
  return { events, firstAt, lastAt, venues: [...venues].sort(), instruments: [...instruments].sort() };
}

/** Passes on valid events in order of receipt. */
async function* sound(events: AsyncIterable<TapeEvent>, counts: ImportCounts): AsyncGenerator<TapeEvent> {
  let lastAt = 0;
  let number = 0;
  for await (const event of events) {
    number++;
    const problem = tapeEventProblem(event, 0);
    if (problem !== null) counts.reject('unsound_event', `event ${number}`, problem);
    else if (event.receivedAt < lastAt)
      counts.reject('out_of_order', `event ${number}`, `received at ${event.receivedAt}, after one received at ${lastAt}`);
    else {
      lastAt = event.receivedAt;
      yield event;
    }
  }
}

async function readSample(file: string): Promise<{ sample: string; gzipped: boolean; size: number }> {
  let size = 0;
  let start: Buffer;
  try {
    const handle = await open(file, 'r');
    try {
      size = (await handle.stat()).size;
      start = Buffer.alloc(2);
      await handle.read(start, 0, 2, 0);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new TapeError(file, '', `cannot be opened: ${whyNotRead(error)}`);
  }
  if (start[0] === 0x50 && start[1] === 0x4b)
    throw new TapeError(file, '', 'is a zip archive; unpack it (unzip) and import the file inside');
  const gzipped = start[0] === 0x1f && start[1] === 0x8b;
  const parts: Buffer[] = [];
  let length = 0;
  const stream = plain(file, gzipped);
  for await (const chunk of stream.stream) {
    parts.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= SAMPLE_BYTES) break;
  }
  stream.stop();
  return { sample: Buffer.concat(parts).subarray(0, SAMPLE_BYTES).toString('utf8'), gzipped, size };
}

function plain(file: string, gzipped: boolean, progress?: (bytes: number) => void): { stream: Readable; stop: () => void } {
  const source = createReadStream(file);
  if (progress !== undefined) source.on('data', () => progress(source.bytesRead));
  if (!gzipped) return { stream: source, stop: () => source.destroy() };
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  source.on('error', (error) => gunzip.destroy(error));
  return { stream: source.pipe(gunzip), stop: () => source.destroy() };
}

function openSource(file: string, gzipped: boolean, progress?: (bytes: number) => void): ImportSource {
  return {
    file,
    async *lines() {
      const { stream } = plain(file, gzipped, progress);
      yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
    },
    async *records() {
      try {
        for await (const records of csvRecords(plain(file, gzipped, progress).stream)) yield* records;
      } catch (error) {
        throw error instanceof CsvFault ? new TapeError(file, '', error.message) : error;
      }
    },
    async text() {
      const parts: Buffer[] = [];
      let length = 0;
      for await (const chunk of plain(file, gzipped, progress).stream) {
        parts.push(chunk as Buffer);
        length += (chunk as Buffer).length;
        if (length > MAX_TEXT_BYTES)
          throw new TapeError(file, '', `unpacks to more than ${MAX_TEXT_BYTES} bytes, too much for one JSON value`);
      }
      return Buffer.concat(parts).toString('utf8');
    },
  };
}
