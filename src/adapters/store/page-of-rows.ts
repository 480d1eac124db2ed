/** Pages of lists: one extra row tells whether there is a next page. */
import type { PageOf } from '../../domain/values/page.ts';

/** Drops the extra row and returns the position of the next page. */
export function pageOfRows<Row>(rows: readonly Row[], limit: number, position: (row: Row) => string): PageOf<Row> {
  const last = rows[limit - 1];
  return rows.length > limit && last !== undefined ? { items: rows.slice(0, limit), next: position(last) } : { items: rows, next: null };
}

/** Escapes a text for `ilike`, to match anywhere. */
export function anywhere(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
}
