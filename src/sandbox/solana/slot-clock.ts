/** Slots, commitments and blockhashes of the sandbox's chain, advanced by the clock or on command. Commitments can be held back. */
import { createHash } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { EpochMs } from '../../domain/values/time.ts';

export type Commitment = 'processed' | 'confirmed' | 'finalized';
export const COMMITMENTS: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

/** Time between two slots. */
export const SLOT_MS = 400;
/** Time of the chain's first slot. */
const GENESIS: EpochMs = Date.UTC(2020, 2, 16, 14, 29);
/** Slots after which a block is final. */
export const FINAL_AFTER = 32;
/** Slots by which each commitment lags. */
const DEPTH: Readonly<Record<Commitment, number>> = { processed: 0, confirmed: 2, finalized: FINAL_AFTER };
/** Number of past slots without a block, so that a block height never equals its slot. */
const SKIPPED = 22_000_000;
/** Number of blocks for which a blockhash is valid. */
export const BLOCKHASH_LIFE = 150;
export const SLOTS_PER_EPOCH = 432_000;

interface LatestBlockhash {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

export type SlotClock = ReturnType<typeof createSlotClock>;

/** Creates the clock. With `manual` no slot passes by itself. */
export function createSlotClock(options: { readonly clock: Clock; readonly seed: number; readonly slots: 'clock' | 'manual' }) {
  const { clock, seed, slots } = options;
  const byTime = (): number => Math.floor((clock.now() - GENESIS) / SLOT_MS);
  const first = byTime();
  let jumped = 0;
  let ceilings: Readonly<Record<Commitment, number>> | null = null;
  const hashes = new Map<string, number>();

  const newest = (): number => (slots === 'manual' ? first : byTime()) + jumped;
  /** Returns the newest slot of a commitment. */
  function slot(commitment: Commitment): number {
    return Math.min(newest() - DEPTH[commitment], ceilings?.[commitment] ?? Number.POSITIVE_INFINITY);
  }
  const toHeight = (at: number): number => at - SKIPPED;

  function hashSlot(at: number): string {
    return getBase58Decoder().decode(createHash('sha256').update(`blockhash ${seed} ${at}`).digest());
  }

  function forgetOld(): void {
    const oldest = newest() - BLOCKHASH_LIFE - DEPTH.finalized;
    for (const [hash, at] of hashes) {
      if (at >= oldest) break;
      hashes.delete(hash);
    }
  }

  return {
    now: (): EpochMs => clock.now(),
    slot,
    blockHeight: (commitment: Commitment): number => toHeight(slot(commitment)),
    /** Returns the commitment that a slot has reached. */
    commitmentOf: (at: number): Commitment => (at <= slot('finalized') ? 'finalized' : at <= slot('confirmed') ? 'confirmed' : 'processed'),
    latestBlockhash(commitment: Commitment): LatestBlockhash {
      const at = slot(commitment);
      const blockhash = hashSlot(at);
      forgetOld();
      hashes.set(blockhash, at);
      return { blockhash, lastValidBlockHeight: toHeight(at) + BLOCKHASH_LIFE };
    },
    /** True if the newest block of that commitment accepts the hash. */
    isValid(blockhash: string, commitment: Commitment): boolean {
      const at = hashes.get(blockhash);
      const bank = slot(commitment);
      return at !== undefined && at <= bank && bank - at <= BLOCKHASH_LIFE;
    },
    hashOf: hashSlot,
    /** Advances slots at once. */
    advance(count: number) {
      if (!Number.isSafeInteger(count) || count < 0 || count > 10_000_000)
        throw new RangeError(`slots must be a whole number from 0 to 10000000, not ${count}`);
      jumped += count;
    },
    /** Holds newer blocks at this commitment; null releases them. */
    hold(at: Exclude<Commitment, 'finalized'> | null) {
      if (at === null) ceilings = null;
      else {
        const free = Number.POSITIVE_INFINITY;
        ceilings = { processed: free, confirmed: at === 'processed' ? slot('confirmed') : free, finalized: slot('finalized') };
      }
    },
  };
}
