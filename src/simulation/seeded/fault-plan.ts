/** Faults of a seeded run with their times. They are drawn first, so that a run is a function of its seed and faults. */
import { seededRandom } from '../../domain/values/seeded-random.ts';
import { AGENT_TICK_MS, type EpochMs } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';

/** Start of the run: a Wednesday in the regular session, so that references are live. */
export const START = Date.UTC(2026, 10, 18, 15, 0, 0);
/** Slots per run. */
export const MINUTES = 10;
export const LAST_SLOT = START + MINUTES * AGENT_TICK_MS;
export const VENUES: readonly Venue[] = ['spotexchange', 'spotchain', 'evmvenue', 'reference'];
export const AGENTS = 5;

export type Fault =
  | { readonly at: EpochMs; readonly kind: 'disconnect' | 'freeze'; readonly venue: Venue; readonly forMs: number }
  | { readonly at: EpochMs; readonly kind: 'garbage' | 'crossed' | 'future' | 'duplicate' | 'old'; readonly venue: Venue }
  | {
      readonly at: EpochMs;
      readonly kind: 'worker_dies' | 'job_lost' | 'job_twice' | 'job_late';
      readonly slot: EpochMs;
      readonly forMs: number;
    }
  | { readonly at: EpochMs; readonly kind: 'cut_lost'; readonly slot: EpochMs }
  | { readonly at: EpochMs; readonly kind: 'pause' | 'resume' | 'autonomy'; readonly agent: number }
  | { readonly at: EpochMs; readonly kind: 'approve' | 'halt' | 'carrier_dies' };

const KINDS = [
  'disconnect',
  'freeze',
  'garbage',
  'crossed',
  'future',
  'duplicate',
  'old',
  'worker_dies',
  'job_lost',
  'job_twice',
  'job_late',
  'cut_lost',
  'pause',
  'resume',
  'autonomy',
  'approve',
  'approve',
  'approve',
  'halt',
  'carrier_dies',
] as const;

type Pick = <Item>(items: readonly Item[]) => Item;

/** Draws the faults of a seed. Half of them fall within a second of a slot, where races occur. */
export function plan(seed: number): Fault[] {
  const random = seededRandom(seed * 7_919 + 1);
  const pick: Pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const count = 6 + Math.floor(random() * 14);
  return Array.from({ length: count }, () => drawn(random, pick)).sort((a, b) => a.at - b.at);
}

function drawn(random: () => number, pick: Pick): Fault {
  const slot = START + (1 + Math.floor(random() * (MINUTES - 1))) * AGENT_TICK_MS;
  const at = random() < 0.5 ? slot + Math.round((random() - 0.5) * 2_000) : START + Math.round(random() * (MINUTES - 1) * AGENT_TICK_MS);
  const kind = pick(KINDS);
  switch (kind) {
    case 'disconnect':
    case 'freeze':
      return { at, kind, venue: pick(VENUES), forMs: pick([4_900, 5_100, 20_000, 90_000]) };
    case 'garbage':
    case 'crossed':
    case 'future':
    case 'duplicate':
    case 'old':
      return { at, kind, venue: pick(VENUES) };
    case 'worker_dies':
    case 'job_lost':
    case 'job_twice':
    case 'job_late':
      return { at, kind, slot, forMs: Math.round(random() * 70_000) };
    case 'cut_lost':
      return { at, kind, slot };
    case 'approve':
    case 'halt':
    case 'carrier_dies':
      return { at, kind };
    default:
      return { at, kind, agent: Math.floor(random() * AGENTS) };
  }
}
