/** Check that tapes replay to exactly the decisions of a live run between two times, and the text that certifies it. */
import { createHash } from 'node:crypto';
import type { Cut } from '../domain/market/cut.ts';
import type { DecisionRow } from '../domain/agents/decision.ts';
import type { Manifest } from '../domain/manifest/manifest.ts';
import { type EpochMs, isoTime } from '../domain/values/time.ts';
import type { LiveRunReads } from '../adapters/store/agents/live-run-reads.ts';
import { type ReplayTape, replayTape } from './replay/replay.ts';
import { type Comparison, createComparison } from './replay/record-comparison.ts';

/** Range of slots from the first to before the second, in milliseconds. */
export interface ParityRange {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

export interface ParityReport extends Comparison, ParityRange {
  /** Decisions of the live run that the replay did not make. */
  readonly onlyLive: number;
  /** Decisions of the live run. */
  readonly written: number;
  /** SHA-256 over their hashes by slot and then id, one per line. */
  readonly writtenHash: string;
  /** True if the live run decided at least once, and both runs have the same decisions. */
  readonly equal: boolean;
}

/** Replays tapes and compares every decision of the range with the live run. */
export async function reportParity(
  tapes: readonly ReplayTape[],
  reads: LiveRunReads,
  range: ParityRange,
  progress: () => void,
): Promise<ParityReport> {
  const parity = await createParity(reads, range);
  await replayTape({ tapes, missed: parity.missed, onDecisions: parity.take, progress });
  return parity.report();
}

/** Creates the comparison of a range. Decisions outside of it are ignored. */
export async function createParity(reads: LiveRunReads, range: ParityRange) {
  const comparison = await createComparison(reads);
  const replayed = new Map<EpochMs, ReadonlySet<string>>();

  return {
    missed: comparison.missed,
    async take(rows: readonly DecisionRow[], cut: Cut, manifestOf: (hash: string) => Manifest) {
      if (cut.slot < range.from || cut.slot >= range.to) return;
      replayed.set(cut.slot, new Set(rows.map(({ agentId }) => agentId)));
      await comparison.take(rows, cut, manifestOf);
    },
    /** Compares the range's live decisions again and returns the report. */
    async report(): Promise<ParityReport> {
      const compared = comparison.result();
      const digest = createHash('sha256');
      let [written, onlyLive] = [0, 0];
      let unmade: { readonly slot: EpochMs; readonly sentence: string } | null = null;
      for await (const batch of reads.written(range.from, range.to)) {
        for (const { slot, agentId, hash } of batch) {
          written++;
          digest.update(`${hash}\n`);
          if (replayed.get(slot)?.has(agentId) === true) continue;
          onlyLive++;
          unmade ??= { slot, sentence: `agent ${agentId}, slot ${isoTime(slot)}: the live run decided, and the tapes replay no decision` };
        }
      }
      return {
        ...range,
        ...compared,
        onlyLive,
        firstDifference: earlier(compared, unmade),
        written,
        writtenHash: digest.digest('hex'),
        equal: written > 0 && compared.different + onlyLive === 0,
      };
    },
  };
}

function earlier(compared: Comparison, unmade: { readonly slot: EpochMs; readonly sentence: string } | null): string | null {
  if (unmade === null) return compared.firstDifference;
  const { firstSlot } = compared;
  return firstSlot !== null && firstSlot <= unmade.slot ? compared.firstDifference : unmade.sentence;
}

/** Replayed tape. */
interface CertifiedTape {
  readonly name: string;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
}

/**
 * Returns the text to sign: one fact per line, the verdict last, ending with a newline.
 * @param simulatedSince start of simulated time in the live run, or null if there was none
 */
export function certificateText(report: ParityReport, tapes: readonly CertifiedTape[], simulatedSince: EpochMs | null): string {
  return `${[
    'sevengate parity',
    `slots from ${isoTime(report.from)} to before ${isoTime(report.to)}`,
    ...tapes.map(({ name, sha256 }) => `tape ${name} sha256 ${sha256}`),
    ...(simulatedSince === null || simulatedSince >= report.to
      ? []
      : [`simulated since ${isoTime(simulatedSince)}: the time of this sandbox was moved on`]),
    `decisions of the live run ${report.written} sha256 ${report.writtenHash}`,
    `missed by the live run and by the replay ${report.missedLive}`,
    `different ${report.different - report.onlyReplayed}`,
    `made by the replay alone ${report.onlyReplayed}`,
    `made by the live run alone ${report.onlyLive}`,
    `first difference: ${report.firstDifference ?? 'none'}`,
    `verdict: ${describeVerdict(report)}`,
  ].join('\n')}\n`;
}

function describeVerdict({ equal, written }: ParityReport): string {
  if (equal) return 'the replay and the live run are equal';
  return written === 0 ? 'nothing is certified: the live run decided nothing' : 'the replay and the live run differ';
}
