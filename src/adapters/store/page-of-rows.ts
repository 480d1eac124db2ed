/** Lists of the API are read in pages: one row more than is asked for tells whether there is a next one. */
import type { PageOf } from '../../domain/values/page.ts';

/** Cuts what was read one row beyond the limit, and names the position to go on from. */
export function pageOfRows<Row>(rows: readonly Row[], limit: number, position: (row: Row) => string): PageOf<Row> {
  const last = rows[limit - 1];
  return rows.length > limit && last !== undefined ? { items: rows.slice(0, limit), next: position(last) } : { items: rows, next: null };
}

/** A text as a pattern of `ilike` that finds it anywhere. */
export function anywhere(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
}
