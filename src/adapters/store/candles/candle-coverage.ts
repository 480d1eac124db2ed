/** Stored bars per series, their origin, and gaps with reasons. */
import { type CandleGap, explainGap, GAP_REASONS, type GapReason } from '../../../domain/candles/candle-gaps.ts';
import type { CandleSeries } from '../../../domain/candles/candle.ts';
import { isoTime, startOfSlot, timeframeMs } from '../../../domain/values/time.ts';
import type { createCandleWindows } from './candle-windows.ts';

const SHOWN_GAPS = 20;

export interface CoverageReport extends CandleSeries {
  readonly simulated: boolean;
  readonly setAside: boolean;
  readonly bars: number;
  readonly from: string;
  readonly to: string;
  readonly sources: readonly string[];
  readonly missing: Readonly<Record<GapReason, number>>;
  /** Longest gaps first. */
  readonly gaps: readonly { readonly from: string; readonly to: string; readonly missing: number; readonly reason: GapReason }[];
}

type Windows = ReturnType<typeof createCandleWindows>;

/** Returns one report per matching stored series. */
export async function candleCoverage(
  windows: Pick<Windows, 'summaries' | 'windows' | 'holes'>,
  filter: Parameters<Windows['summaries']>[0],
): Promise<CoverageReport[]> {
  const reports: CoverageReport[] = [];
  for (const { bars, firstOpen, lastOpen, sources, ...series } of await windows.summaries(filter)) {
    const barMs = timeframeMs(series.timeframe);
    if (barMs === null) continue;
    const range = { from: startOfSlot(firstOpen, barMs), to: startOfSlot(lastOpen, barMs) + barMs };
    const known = { venue: series.venue, barMs, windows: await windows.windows(series, range), firstOpen };
    // No bars are requested for series that are set aside.
    const holes = series.setAside ? [] : await windows.holes(series, range, barMs);
    const gaps = holes.flatMap((hole) => explainGap(hole, known));
    reports.push({
      ...series,
      bars,
      from: isoTime(firstOpen),
      to: isoTime(lastOpen + barMs),
      sources,
      missing: missingBy(gaps),
      gaps: longest(gaps),
    });
  }
  return reports;
}

function missingBy(gaps: readonly CandleGap[]): Record<GapReason, number> {
  const missing = Object.fromEntries(GAP_REASONS.map((reason) => [reason, 0])) as Record<GapReason, number>;
  for (const gap of gaps) missing[gap.reason] += gap.missing;
  return missing;
}

function longest(gaps: readonly CandleGap[]): CoverageReport['gaps'] {
  return [...gaps]
    .sort((a, b) => b.missing - a.missing || a.from - b.from)
    .slice(0, SHOWN_GAPS)
    .map(({ from, to, missing, reason }) => ({ from: isoTime(from), to: isoTime(to), missing, reason }));
}

/** Formats the reports with the first gaps of each series. */
export function coverageText(reports: readonly CoverageReport[]): string {
  if (reports.length === 0) return 'no bars are stored that match';
  return reports
    .flatMap((one) => {
      const missing = Object.entries(one.missing).filter(([, count]) => count > 0);
      return [
        `${one.venue} ${one.instrument} ${one.timeframe}: ${one.bars} bars, ${one.from} to ${one.to}, from ${one.sources.join(', ')}${one.simulated ? ' (simulated)' : ''}`,
        one.setAside
          ? '  set aside: its venue is not what it was, and nothing reads them'
          : missing.length === 0
            ? '  nothing is missing in between'
            : `  missing: ${missing.map(([reason, count]) => `${count} ${reason}`).join(', ')}`,
        ...one.gaps.slice(0, 5).map((gap) => `    ${gap.from} to ${gap.to}: ${gap.missing} bars (${gap.reason})`),
      ];
    })
    .join('\n');
}
