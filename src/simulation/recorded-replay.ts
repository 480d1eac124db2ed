/** Replay of a recording: passes on its decision records, compares them with a live run, and describes the result. */
import { cutText, type TapeAgent } from '../domain/tape/tape.ts';
import { isoTime } from '../domain/values/time.ts';
import type { LiveRunReads } from '../adapters/store/agents/live-run-reads.ts';
import { createRecordWriter, type ReplayResult, type ReplayTape, replayTape } from './replay/replay.ts';
import { type Comparison, createComparison } from './replay/record-comparison.ts';

export interface RecordedReplay {
  /** Tapes of one recording, in order of time. */
  readonly tapes: readonly ReplayTape[];
  /** Agents in addition to those on the tapes. */
  readonly agents: readonly TapeAgent[];
  /** Records of a live run, or null if nothing is compared. */
  readonly live: LiveRunReads | null;
  /** Writes each slot's decision records, one JSON object per line; null if they are not needed. */
  readonly writeRecords: ((lines: string) => unknown) | null;
  readonly progress: () => void;
}

export interface ReplaySummary extends Omit<ReplayResult, 'decisions' | 'firstSlot' | 'lastSlot'> {
  readonly firstSlot: string | null;
  readonly lastSlot: string | null;
  /** Comparison, or null if nothing was compared. */
  readonly comparison: Comparison | null;
}

/** Replays the recording. @throws Error if there is no agent to replay */
export async function replayRecording({ tapes, agents, live, writeRecords, progress }: RecordedReplay): Promise<ReplaySummary> {
  const comparison = live === null ? null : await createComparison(live);
  const linesOf = createRecordWriter();
  const result = await replayTape({
    tapes,
    agents,
    ...(comparison === null ? {} : { missed: comparison.missed }),
    onDecisions: async (rows, cut, manifestOf) => {
      await writeRecords?.(linesOf(rows, cut, manifestOf));
      await comparison?.take(rows, cut, manifestOf);
    },
    progress,
  });
  if (result.counts.agents === 0)
    throw new Error('there are no agents to replay: the tape has none, and no manifest was given with --agent');
  const { decisions: _, firstSlot, lastSlot, ...rest } = result;
  return {
    ...rest,
    firstSlot: firstSlot === null ? null : isoTime(firstSlot),
    lastSlot: lastSlot === null ? null : isoTime(lastSlot),
    comparison: comparison?.result() ?? null,
  };
}

/** Describes the replay. @param out file of the records, or null if none was written */
export function replayText(summary: ReplaySummary, out: string | null): string {
  const { counts, comparison } = summary;
  return [
    `${summary.events} events, ${summary.cuts} slots, ${counts.agents} agents, ${counts.decisions} decisions${summary.firstSlot === null ? '' : `, ${summary.firstSlot} to ${summary.lastSlot}`}`,
    `  hold ${counts.hold}, propose_entry ${counts.propose_entry}, propose_exit ${counts.propose_exit}, blocked_by_risk ${counts.blocked_by_risk}`,
    ...(counts.refusedCommands > 0
      ? [`  ${counts.refusedCommands} of ${counts.commands} agent events were refused, which the live agents took`]
      : []),
    `  result ${summary.resultHash}${cutText(summary.cut)}`,
    ...(out === null ? [] : [`  records in ${out}`]),
    ...(comparison === null ? [] : [comparisonText(comparison)]),
  ].join('\n');
}

function comparisonText({ firstDifference, compared, missedLive, different }: Comparison): string {
  if (firstDifference === null) return `  all ${compared} decisions equal what the live run wrote (${missedLive} of them were missed live)`;
  return `  ${different} of ${compared} decisions differ from what the live run wrote; first: ${firstDifference}`;
}
