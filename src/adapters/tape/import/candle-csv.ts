/** Importer of closed bars from CSV with the header openTime,open,high,low,close,volume. Each bar is an event received at its close. */
import { basename } from 'node:path';
import { DAY_MS, timeframeMs } from '../../../domain/values/time.ts';
import { instrumentKey, VENUES } from '../../../domain/market/venue.ts';
import { isOfShare, ShareClock } from '../../candle-files/share-hours.ts';
import { wireCandle } from '../../venues/spotexchange/map.ts';
import { firstLine, type Importer } from '../importer.ts';
import { TapeError } from '../tape-error.ts';

const CANDLE_HEADER = 'openTime,open,high,low,close,volume';

/** Parses instrument and timeframe from a file name such as `BTCUSDT_1h_binance-spot.csv.gz`; `1d` means 24h. Null if it has none. */
function named(file: string): { instrument: string; timeframe: string } | null {
  const match = /^([A-Za-z0-9-]+)_+(?:.*_)?(\d{1,3}[mhd]|hour|day)(?:_|\.)/.exec(basename(file));
  if (match === null) return null;
  const written = match[2] as string;
  const timeframe = written === 'hour' ? '1h' : written === 'day' || written === '1d' ? '24h' : written;
  return { instrument: match[1] as string, timeframe };
}

export const CANDLE_CSV: Importer = {
  name: 'candle-csv',
  accepts: `CSV with the header ${CANDLE_HEADER} (times in milliseconds), named <instrument>_<timeframe>_... or with --instrument and --timeframe`,
  venues: VENUES,
  recognises: (sample) => firstLine(sample) === CANDLE_HEADER,

  async *read(source, target, counts) {
    const told = named(source.file);
    const instrument = target.instrument ?? told?.instrument;
    const timeframe = target.timeframe ?? told?.timeframe;
    if (instrument === undefined) throw new TapeError(source.file, '', 'does not say in its name what the bars are of: use --instrument');
    const barMs = timeframe === undefined ? null : timeframeMs(timeframe);
    if (timeframe === undefined || barMs === null) {
      throw new TapeError(
        source.file,
        '',
        `has bars of ${timeframe ?? 'unknown length'}: use --timeframe with minutes or hours, such as 1h`,
      );
    }
    const clock = barMs < DAY_MS && isOfShare(instrumentKey(target.venue, instrument)) !== false ? new ShareClock() : null;
    let lastOpen = -1;
    for await (const { line, fields } of source.records()) {
      if (line === 1) continue;
      counts.read++;
      const place = `line ${line}`;
      const [openText, ...texts] = fields.map((field) => field.trim());
      const openTime = /^\d{1,15}$/.test(openText ?? '') ? Number(openText) : null;
      const candle = openTime === null || texts.length !== 5 ? null : wireCandle(openTime, texts);
      if (candle === null) {
        counts.reject('bad_number', place, `no sound bar: ${fields.join(',').slice(0, 120)}`);
        continue;
      }
      if (candle.openTime <= lastOpen) {
        counts.reject(
          candle.openTime === lastOpen ? 'doubled' : 'out_of_order',
          place,
          `opens at ${candle.openTime}, after a bar that opened at ${lastOpen}`,
        );
        continue;
      }
      lastOpen = candle.openTime;
      clock?.take(candle.openTime, Number(candle.volume));
      yield {
        kind: 'candles',
        venue: target.venue,
        instrument,
        timeframe,
        source: 'import:candle-csv',
        receivedAt: candle.openTime + barMs,
        candles: [candle],
      };
    }
    if (clock?.isNewYork() === true)
      throw new TapeError(
        source.file,
        '',
        "has bars of a share on New York's wall clock, written as if it were UTC: sevengate candles import takes them with --timezone",
      );
  },
};
