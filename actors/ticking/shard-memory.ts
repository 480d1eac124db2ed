/** Memory of a process between ticks of its shards: duties, chain ends, notes, and the newest cuts. */
import { GENESIS_HASH } from '../../src/domain/agents/decision.ts';
import { CutHashes } from '../../src/domain/agents/observed-state.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { TickDuty, TickStore } from './tick-store.ts';
import type { ShardActor } from './tick-window.ts';

/** Number of cuts kept. Shards of one slot share its cut. */
const CUTS_KEPT = 4;

/** State after a shard's last tick. Valid only while no other process has ticked the shard since. */
export interface WarmShard<Duty, Note> {
  readonly lastSlot: EpochMs;
  readonly duties: Map<string, Duty>;
  readonly heads: Map<string, string>;
  readonly notes: Map<string, Note>;
}

export class ShardMemory<Duty extends TickDuty, Note> {
  readonly #store: Pick<TickStore<Duty>, 'cut' | 'duties' | 'heads'>;
  readonly #warm = new Map<string, WarmShard<Duty, Note>>();
  readonly #cuts = new Map<EpochMs, CutHashes>();

  constructor(store: Pick<TickStore<Duty>, 'cut' | 'duties' | 'heads'>) {
    this.#store = store;
  }

  /** Returns the cut of a slot, or an empty one if there is none. */
  async cut(slot: EpochMs): Promise<CutHashes> {
    const known = this.#cuts.get(slot);
    if (known) return known;
    const cut = await this.#store.cut(slot);
    if (!cut) return new CutHashes({ slot, observations: new Map() });
    const hashed = new CutHashes(cut);
    this.#cuts.set(slot, hashed);
    for (const old of this.#cuts.keys()) if (this.#cuts.size > CUTS_KEPT) this.#cuts.delete(old);
    return hashed;
  }

  /** Takes a shard out of memory for a tick. Reads what is missing or has changed from the store. */
  async take(key: string, actors: readonly ShardActor[], lastSlot: EpochMs): Promise<WarmShard<Duty, Note>> {
    const before = this.#warm.get(key);
    const state: WarmShard<Duty, Note> =
      before && before.lastSlot === lastSlot
        ? before
        : { lastSlot, duties: before?.duties ?? new Map(), heads: new Map(), notes: new Map() };
    const changed = actors.filter(({ id, version }) => state.duties.get(id)?.version !== version).map(({ id }) => id);
    if (changed.length > 0) for (const duty of await this.#store.duties(changed)) state.duties.set(duty.id, duty);
    const headless = actors.filter(({ id }) => !state.heads.has(id)).map(({ id }) => id);
    if (headless.length > 0) {
      const heads = await this.#store.heads(headless, lastSlot);
      for (const id of headless) state.heads.set(id, heads.get(id) ?? GENESIS_HASH);
    }
    this.#warm.delete(key);
    return state;
  }

  /** Remembers a shard that was ticked up to a slot. */
  keep(key: string, state: WarmShard<Duty, Note>, lastSlot: EpochMs): void {
    this.#warm.set(key, { ...state, lastSlot });
  }
}
