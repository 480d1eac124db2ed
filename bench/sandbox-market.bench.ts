/**
 * Statistics of the sandbox's market: median, minimum and maximum of twenty seeds over five years. Files of recorded bars
 * (`openTime,open,high,low,close,volume`, plain or gzip) give the same figures for real series:
 * `node --import tsx bench/sandbox-market.bench.ts [bars.csv.gz ...]`
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createSeededMarket } from '../src/sandbox/market/seeded-market.ts';
import { logReturns, marketFacts, seriesFacts } from '../test/sandbox/market/market-facts.ts';

const TO = Date.UTC(2026, 10, 20);
const FROM = TO - 5 * 365 * 86_400_000;
const SEEDS = Array.from({ length: 20 }, (_, n) => 101 + n);

function recordedReturns(path: string): number[] {
  const bytes = readFileSync(path);
  const rows = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').trim().split('\n').slice(1);
  return logReturns(rows.map((row) => Number(row.split(',')[4])).filter((close) => close > 0));
}

function flat(prefix: string, value: unknown): [string, number][] {
  if (typeof value === 'number') return [[prefix, value]];
  return Object.entries(value as object).flatMap(([name, inner]) => flat(prefix === '' ? name : `${prefix}.${name}`, inner));
}

const files = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
if (files.length > 0)
  console.table(Object.fromEntries(files.map((path) => [basename(path), rounded(Object.entries(seriesFacts(recordedReturns(path))))])));
else {
  const seen = new Map<string, number[]>();
  for (const seed of SEEDS)
    for (const [name, value] of flat('', marketFacts(createSeededMarket({ seed }), FROM, TO))) {
      seen.set(name, [...(seen.get(name) ?? []), value]);
    }
  const rows = [...seen].map(([name, values]) => {
    const sorted = [...values].sort((a, b) => a - b);
    const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))] as number;
    return [name, rounded(Object.entries({ median: at(0.5), least: at(0), most: at(1) }))] as const;
  });
  console.table(Object.fromEntries(rows));
}

function rounded(entries: readonly (readonly [string, number])[]): Record<string, number> {
  return Object.fromEntries(entries.map(([name, value]) => [name, Math.round(value * 1000) / 1000]));
}
