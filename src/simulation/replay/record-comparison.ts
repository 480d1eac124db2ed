/** Comparison of a replay with a live run, decision by decision. It describes the first difference. */
import type { PackedDecision } from '../../../actors/ticking/resource.ts';
import type { Cut, Observation } from '../../domain/market/cut.ts';
import { compileManifest } from '../../domain/agents/decide.ts';
import type { DecisionRow } from '../../domain/agents/decision.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { observedBy } from '../../domain/agents/observed-state.ts';
import { type EpochMs, isoTime } from '../../domain/values/time.ts';
import type { LiveRunReads } from '../../adapters/store/agents/live-run-reads.ts';
import type { MissedTick } from './population.ts';

export interface Comparison {
  readonly compared: number;
  /** Decisions of the replay that the live run does not have. */
  readonly onlyReplayed: number;
  /** Live decisions that were late or crashed. The replay repeats them as such, without an observation. */
  readonly missedLive: number;
  readonly different: number;
  /** First difference in one sentence, or null. */
  readonly firstDifference: string | null;
  /** Slot of the first difference, or null. */
  readonly firstSlot: EpochMs | null;
}

/** Creates the comparison, and reads which slots the live run missed so that the replay misses them too. */
export async function createComparison(reads: LiveRunReads) {
  const missed = new Map<string, MissedTick>();
  for (const { agentId, slot, reason } of await reads.missed()) missed.set(`${agentId} ${slot}`, reason);
  let compared = 0;
  let onlyReplayed = 0;
  let missedLive = 0;
  let different = 0;
  let firstDifference: string | null = null;
  let firstSlot: EpochMs | null = null;

  /** Returns a tick's difference in one sentence, or null. It compares values and not only hashes, because a row may have been altered. */
  async function findDifference(
    replayed: DecisionRow,
    live: PackedDecision | undefined,
    cut: Cut,
    manifestOf: (hash: string) => Manifest,
  ): Promise<string | null> {
    const where = `agent ${replayed.agentId}, slot ${isoTime(replayed.slot)}`;
    if (live === undefined) return `${where}: the live run has written no decision for this slot, the replay ${replayed.disposition}`;
    if (live.manifestHash !== replayed.manifestHash || live.manifestVersion !== replayed.manifestVersion) {
      return `${where}: the live run decided by manifest version ${live.manifestVersion}, the replay by version ${replayed.manifestVersion}`;
    }
    if (live.observedHash !== replayed.observedHash)
      return `${where}: ${await describeObserved(reads, cut, manifestOf(replayed.manifestHash))}`;
    for (const part of ['disposition', 'reason', 'instrument', 'outcome'] as const) {
      if (live[part] !== replayed[part])
        return `${where}: ${part} was ${String(live[part])} live and is ${String(replayed[part])} in the replay`;
    }
    const risk = replayed.risk === null ? null : JSON.stringify(replayed.risk);
    if (live.book !== replayed.book) return `${where}: the book was ${shown(live.book)} live and is ${shown(replayed.book)} in the replay`;
    if (live.risk !== risk) return `${where}: risk said ${shown(live.risk)} live and says ${shown(risk)} in the replay`;
    if (live.previousHash !== replayed.previousHash)
      return `${where}: it follows another decision than live; the difference lies before this tape`;
    return live.hash === replayed.hash ? null : `${where}: the hash differs, though nothing that it covers does`;
  }

  return {
    missed: (agentId: string, slot: EpochMs): MissedTick | null => missed.get(`${agentId} ${slot}`) ?? null,
    async take(replayed: readonly DecisionRow[], cut: Cut, manifestOf: (hash: string) => Manifest) {
      const live = await reads.decisions(
        replayed.map(({ agentId }) => agentId),
        cut.slot,
      );
      const byAgent = new Map(live.map((row) => [row.agentId, row]));
      for (const row of replayed) {
        const other = byAgent.get(row.agentId);
        compared++;
        if (other === undefined) onlyReplayed++;
        else if (other.reason === 'late_tick' || other.reason === 'tick_crash') missedLive++;
        const difference = await findDifference(row, other, cut, manifestOf);
        if (difference === null) continue;
        different++;
        firstDifference ??= difference;
        firstSlot ??= row.slot;
      }
    },
    result: (): Comparison => ({ compared, onlyReplayed, missedLive, different, firstDifference, firstSlot }),
  };
}

/** Compares only what the manifest reads. Other agents' indicators are not its owner's business. */
async function describeObserved(reads: LiveRunReads, cut: Cut, manifest: Manifest): Promise<string> {
  const { reading } = compileManifest(manifest);
  const observations = await reads.observations(cut.slot);
  const live = new Map(observedBy(reading, { observations }).map((observation) => [observation.instrument, observation]));
  for (const observation of observedBy(reading, cut)) {
    const { instrument } = observation;
    const other = live.get(instrument);
    if (other === undefined) return `${instrument} was not observed live`;
    for (const member of Object.keys(observation) as (keyof Observation)[]) {
      const [was, is] = [sorted(other[member]), sorted(observation[member])];
      if (was !== is) return `${member} of ${instrument} was ${was.slice(0, 300)} live and is ${is.slice(0, 300)} in the replay`;
    }
  }
  return live.size === 0 ? 'nothing was observed live' : 'the live decision looked at other observations than those on record';
}

/** Shortens a value to 300 characters. */
function shown(text: string | null): string {
  return text === null ? 'nothing' : text.slice(0, 300);
}

/** Formats JSON with sorted keys, so that equal values have equal texts. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
