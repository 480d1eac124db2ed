/** Signed digest of a bar, equal to `candle_digest` but inlined: calling that function for each bar costs four times as much. */
import type { PendingQuery, Row } from 'postgres';
import type { Transaction } from '../database.ts';

/** Returns the expression over a row of `candles`: 8 bytes of its open time and the first 16 of the SHA-256 of its values. */
export function barDigest(sql: Transaction): PendingQuery<Row[]> {
  return sql`int8send(open_time) || substring(sha256(convert_to(concat_ws(' ', trim_scale(open), trim_scale(high), trim_scale(low), trim_scale(close),
    trim_scale(volume)), 'UTF8')) from 1 for 16)`;
}
