/** Reads the bars of one file into memory. */
import type { Candle } from '../../domain/candles/candle.ts';
import { readCandleFile } from './read-candles.ts';

/** Reads all bars. Rejects bars that close after `now`. @throws Error with one sentence at the first invalid row */
export async function readBars(file: string, barMs: number, now: number, ofShare: boolean | null = null): Promise<Candle[]> {
  const reading = readCandleFile(file, {
    barMs,
    now,
    align: true,
    ofShare,
    onBad: ({ line, detail }) => {
      throw new Error(`${file}: line ${line}: ${detail}`);
    },
  });
  const bars: Candle[] = [];
  for await (const { rows } of reading.batches()) {
    for (const row of rows.split('\n')) {
      if (row === '') continue;
      const [openTime, open, high, low, close, volume] = row.split('\t') as [string, string, string, string, string, string];
      bars.push({ openTime: Number(openTime), open, high, low, close, volume });
    }
  }
  return bars;
}
