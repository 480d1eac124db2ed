/** Rules of the example agent Discount hunter as code: one slot in, one trade or null out. */
import type { ReplaySlot, ReplayTrade } from '../clients/typescript/src/replay.ts';

const DAY_MS = 86_400_000;
const SEVERE = ['high', 'critical'];

/** Buys tokenized shares below their reference price while there is no bad news of them, and sells them above it. */
export function hunt({ cut, book }: Pick<ReplaySlot, 'cut' | 'book'>): ReplayTrade {
  const live = cut.observations.filter(({ quote, reference }) => quote?.quality === 'live' && reference?.quality === 'live');
  const held = (instrument: string) => book.positions.find((position) => position.instrument === instrument);
  const rich = live.find(({ instrument, premiumPct }) => held(instrument) !== undefined && (premiumPct ?? 0) > 0.6);
  if (rich !== undefined) return { side: 'sell', instrument: rich.instrument, quantity: held(rich.instrument)?.quantity ?? '0' };
  // Without a news feed nobody knows whether there was news: it holds.
  const isQuiet = (events: (typeof live)[number]['events']): boolean =>
    events?.every(
      ({ negative, rumor, severity, observedAt }) =>
        !negative || rumor || !SEVERE.includes(severity) || observedAt < Date.parse(cut.slot) - DAY_MS,
    ) ?? false;
  const cheap = live.find(
    ({ instrument, premiumPct, events }) => held(instrument) === undefined && (premiumPct ?? 0) < -1.2 && isQuiet(events),
  );
  return cheap === undefined ? null : { side: 'buy', instrument: cheap.instrument, notionalUsd: '500' };
}
