/** Recorded figures: `npm run bench -- --record` stores them in `measured.json` and generates their part of the reference page. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

interface Figure {
  readonly what: string;
  readonly value: string;
  /** Lowest to highest value, or another measure of reliability; empty for a single measurement. */
  readonly spread: string;
  /** Empty if the figure only informs. */
  readonly goal: string;
}

/** Figures of one run of one benchmark. */
interface Measured {
  readonly title: string;
  readonly machine: string;
  /** Load average of the minute in which the run ended: other load makes figures worse. */
  readonly load: string;
  /** Day of the run, in UTC. */
  readonly day: string;
  readonly figures: readonly Figure[];
}

const RECORD = new URL('./measured.json', import.meta.url);
const PAGE = new URL('../docs/reference/performance.md', import.meta.url);
const BEGIN = '<!-- figures: made by npm run bench -- --record -->';
const END = '<!-- end of figures -->';

export function readMeasured(): readonly Measured[] {
  return JSON.parse(readFileSync(RECORD, 'utf8')) as Measured[];
}

/** Replaces a benchmark's recorded figures and writes the page. Does nothing without `--record`. */
export function keepFigures(title: string, figures: readonly Figure[]): void {
  if (process.env['BENCH_RECORD'] === undefined) return;
  const machine = `${cpus().length} processors, ${cpus()[0]?.model ?? 'unknown'}; Node.js ${process.versions.node}`;
  const own: Measured = { title, machine, load: (loadavg()[0] as number).toFixed(1), day: new Date().toISOString().slice(0, 10), figures };
  const all = [...readMeasured().filter((one) => one.title !== title), own].sort((a, b) => (a.title < b.title ? -1 : 1));
  writeFileSync(RECORD, `${JSON.stringify(all, null, 2)}\n`);
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), all));
}

/** Returns the page with these figures between its marks. @throws Error if the page has no marks. */
export function withFigures(page: string, measured: readonly Measured[]): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`docs/reference/performance.md has no lines ${BEGIN} and ${END}`);
  return `${page.slice(0, from + BEGIN.length)}\n\n${measured.map(sectionOf).join('\n')}\n${page.slice(to)}`;
}

function sectionOf({ title, machine, load, day, figures }: Measured): string {
  const rows = figures.map(({ what, value, spread, goal }) => `| ${[what, value, spread, goal].map(cell).join(' | ')} |\n`);
  return `### ${title}\n\n${day}, ${machine}; load ${load}.\n\n| What | Measured | Spread | Goal |\n|---|---|---|---|\n${rows.join('')}`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');
