/** Contents of a tape: its form, its events by kind and instrument, and its time range. */
import { isoTime } from '../../domain/values/time.ts';
import { instrumentKey } from '../../domain/market/venue.ts';
import { openTape, type TapeReader } from './tape-reader.ts';

export interface TapeInfo {
  readonly file: string;
  readonly form: string;
  readonly source: string | null;
  readonly recordedAt: string | null;
  readonly events: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly instruments: Readonly<Record<string, number>>;
  readonly from: string | null;
  readonly to: string | null;
  readonly agents: readonly string[];
  readonly bytes: number;
  readonly cut: TapeReader['cut'];
}

/** Reads a whole tape. Calls `progress` with the bytes read and the total. */
export async function tapeInfo(file: string, progress: (done: number, total: number) => void): Promise<TapeInfo> {
  const reader = await openTape(file);
  const kinds: Record<string, number> = {};
  const instruments = new Map<string, number>();
  const agents = new Set((reader.header.agents ?? []).map(({ id }) => id));
  let events = 0;
  let from: number | null = null;
  let to: number | null = null;
  try {
    for await (const batch of reader.batches()) {
      for (const event of batch.events) {
        kinds[event.kind] = (kinds[event.kind] ?? 0) + 1;
        if (event.kind === 'command' && event.agent !== undefined) agents.add(event.agent.id);
        if (!('instrument' in event)) continue;
        const key = instrumentKey(event.venue, event.instrument);
        instruments.set(key, (instruments.get(key) ?? 0) + 1);
      }
      events += batch.events.length;
      from ??= batch.events[0]?.receivedAt ?? null;
      to = batch.events.at(-1)?.receivedAt ?? to;
      progress(reader.bytesRead, reader.bytesTotal);
    }
  } finally {
    await reader.close();
  }
  return {
    file,
    form: reader.form,
    source: reader.header.source ?? null,
    recordedAt: reader.header.recordedAt ?? null,
    events,
    kinds,
    instruments: Object.fromEntries([...instruments].sort(([a], [b]) => (a < b ? -1 : 1))),
    from: from === null ? null : isoTime(from),
    to: to === null ? null : isoTime(to),
    agents: [...agents],
    bytes: reader.bytesTotal,
    cut: reader.cut,
  };
}
