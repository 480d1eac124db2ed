/** Mechanics of every benchmark: interleaved rounds, medians of ratios, spreads, one table, `--json`. */

import { keepFigures } from './measured.ts';

/** Cost of one round of a contender. */
export interface Cost {
  readonly operations: number;
  /** Processor time, or wall time if the work is mostly waiting. Microseconds. */
  readonly microseconds: number;
}

export interface Contender {
  readonly name: string;
  /** Runs one round. */
  round(): Cost | Promise<Cost>;
}

/** One line of the table: the speed of ours relative to the reference. */
export interface Comparison {
  readonly what: string;
  readonly ours: string;
  readonly reference: string;
  /** Ratio to reach, or null if the line only informs. */
  readonly goal: number | null;
}

/** A contender's own rate, for goals that no reference states. */
export interface Rate {
  readonly what: string;
  readonly of: string;
  /** Operations per second to reach. */
  readonly goal: number;
}

export interface BenchOptions {
  readonly title: string;
  readonly contenders: readonly Contender[];
  readonly comparisons: readonly Comparison[];
  readonly rates?: readonly Rate[];
  /** Counted rounds of every contender. At least 7. */
  readonly rounds?: number;
  /** Rounds before the counted ones, for compilation and caches. */
  readonly warmUps?: number;
  readonly notes?: readonly string[];
}

interface Line extends Comparison {
  readonly oursRate: number;
  readonly referenceRate: number;
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly reached: boolean | null;
}

/** Returns the median. */
export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/** Returns a quantile, interpolated between two numbers. */
export function quantile(numbers: readonly number[], at: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = (sorted.length - 1) * at;
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}

/** Returns the processor time of this process with all its threads (garbage collection included), in microseconds. */
export function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Measures synchronous work in processor time, which other programs disturb less than wall time. */
export function cpuCost(operations: number, work: () => void): Cost {
  const began = cpuMicroseconds();
  work();
  return { operations, microseconds: cpuMicroseconds() - began };
}

/** Measures work that waits for another process, in wall time. */
export async function wallCost(operations: number, work: () => Promise<void>): Promise<Cost> {
  const began = performance.now();
  await work();
  return { operations, microseconds: (performance.now() - began) * 1_000 };
}

/** Sink of results, so that the compiler cannot remove the work. */
export const sink: { value: unknown } = { value: null };

/** Creates a contender that repeats `pass` (of `operations` operations) for about `roundMs`. */
export function repeated(name: string, operations: number, pass: () => void, roundMs = 120): Contender {
  let passes = 0;
  return {
    name,
    round() {
      if (passes === 0) {
        const began = performance.now();
        do {
          pass();
          passes++;
        } while (performance.now() - began < roundMs);
        // The first passes ran uncompiled: the next round measures again.
        return { operations, microseconds: 1 };
      }
      const cost = cpuCost(operations * passes, () => {
        for (let i = 0; i < passes; i++) pass();
      });
      passes = Math.max(1, Math.round((passes * roundMs * 1_000) / Math.max(cost.microseconds, 1)));
      return cost;
    },
  };
}

/**
 * Runs the rounds of all contenders in turn, starting each round with another one, so that a disturbance of the machine affects all
 * alike. Prints, per comparison, the median of the ratios of the same round. Exits with 0 even if a goal is missed, because the reader
 * decides.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const { contenders, rounds = 9, warmUps = 3 } = options;
  if (rounds < 7) throw new RangeError(`a median of ${rounds} rounds says little; use at least 7`);
  const costs = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = -warmUps; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const contender = contenders[(turn + round + warmUps) % contenders.length] as Contender;
      const { operations, microseconds } = await contender.round();
      if (round >= 0) costs.get(contender.name)?.push(microseconds / operations);
    }
  }
  const costsOf = (name: string): readonly number[] => {
    const found = costs.get(name);
    if (found === undefined) throw new Error(`${options.title}: there is no contender ${name}`);
    return found;
  };
  const lines = options.comparisons.map((comparison): Line => {
    const ours = costsOf(comparison.ours);
    const ratios = costsOf(comparison.reference).map((cost, round) => cost / (ours[round] as number));
    const ratio = median(ratios);
    return {
      what: comparison.what,
      ours: comparison.ours,
      reference: comparison.reference,
      goal: comparison.goal,
      oursRate: 1e6 / median(ours),
      referenceRate: 1e6 / median(costsOf(comparison.reference)),
      ratio,
      low: quantile(ratios, 0.1),
      high: quantile(ratios, 0.9),
      reached: comparison.goal === null ? null : ratio >= comparison.goal,
    };
  });
  const rates = (options.rates ?? []).map(({ what, of, goal }) => {
    const each = costsOf(of).map((cost) => 1e6 / cost);
    return {
      what,
      value: `${rate(median(each))}/s`,
      spread: `${rate(quantile(each, 0.1))}/s to ${rate(quantile(each, 0.9))}/s`,
      goal: `≥ ${rate(goal)}/s`,
    };
  });
  keepFigures(options.title, [
    ...rates,
    ...lines.map((line) => ({
      what: `${line.what}: ${line.ours}, ${rate(line.oursRate)}/s, against ${line.reference}, ${rate(line.referenceRate)}/s`,
      value: times(line.ratio),
      spread: `${times(line.low)} to ${times(line.high)}`,
      goal: line.goal === null ? '' : `≥ ${times(line.goal)}`,
    })),
  ]);
  if (process.argv.includes('--json')) {
    const perSecond = Object.fromEntries(contenders.map(({ name }) => [name, 1e6 / median(costsOf(name))]));
    process.stdout.write(`${JSON.stringify({ title: options.title, rounds, perSecond, lines, notes: options.notes ?? [] }, null, 2)}\n`);
    return;
  }
  process.stdout.write(`\n${options.title}\n${table(lines)}`);
  for (const { what, value, spread, goal } of rates) process.stdout.write(`${what}: ${value} (${spread}); goal ${goal}\n`);
  process.stdout.write(`medians of ${rounds} interleaved rounds; spread: 10th to 90th percentile\n`);
  for (const note of options.notes ?? []) process.stdout.write(`${note}\n`);
}

function table(lines: readonly Line[]): string {
  const head = ['what', 'ours', 'per s', 'reference', 'per s', 'ratio', 'spread', 'goal', 'reached'];
  const rows = lines.map((line) => [
    line.what,
    line.ours,
    rate(line.oursRate),
    line.reference,
    rate(line.referenceRate),
    times(line.ratio),
    `${times(line.low)}..${times(line.high)}`,
    line.goal === null ? '' : `>= ${times(line.goal)}`,
    line.reached === null ? '' : line.reached ? 'yes' : 'NO',
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] as string).length)));
  const write = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd();
  return `${[head, widths.map((width) => '-'.repeat(width)), ...rows].map(write).join('\n')}\n`;
}

function times(ratio: number): string {
  return `${ratio >= 100 ? ratio.toFixed(0) : ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2)}x`;
}

/** Returns a rate with its unit: thousands and millions are short. */
export function rate(perSecond: number): string {
  if (perSecond >= 1e6) return `${(perSecond / 1e6).toFixed(2)}M`;
  return perSecond >= 10_000 ? `${(perSecond / 1e3).toFixed(1)}k` : perSecond.toFixed(0);
}
