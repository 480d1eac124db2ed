/** Checks whether work waits. Concurrent checks of all loops share one statement, so that idle polling is cheap. */
import { askedTogether } from './asked-together.ts';
import type { Fragment, Sql } from './database.ts';

const askers = new WeakMap<Sql, (condition: Fragment) => Promise<boolean>>();

/** @param condition SQL condition */
export function holdsNow(sql: Sql, condition: Fragment): Promise<boolean> {
  let ask = askers.get(sql);
  if (ask === undefined) {
    ask = askedTogether<Fragment, boolean>(async (conditions) => {
      const list = conditions.map((one, place) => (place === 0 ? sql`${one}` : sql`, ${one}`));
      const [row] = await sql<{ holds: readonly boolean[] }[]>`select array_to_json(array[${list}]::boolean[]) as holds`;
      return (one) => row?.holds[conditions.indexOf(one)] === true;
    });
    askers.set(sql, ask);
  }
  return ask(condition);
}
