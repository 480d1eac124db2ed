/** Combines concurrent queries into one statement, so that each costs a share of one read. */
import { isRetryable, type Fragment, type Sql } from './database.ts';

/** Maximum queries per statement. */
const MOST = 256;

interface Question<Key, Value> {
  readonly key: Key;
  readonly found: (value: Value) => void;
  readonly lost: (error: unknown) => void;
}

/**
 * Turns `ask`, which answers many keys, into a query of one key. Keys of one turn of the event loop are asked together. If a statement
 * fails for another reason than its connection, each key is asked by itself, so that an unreadable row fails only its own key.
 */
export function askedTogether<Key, Value>(ask: (keys: readonly Key[]) => Promise<(key: Key) => Value>): (key: Key) => Promise<Value> {
  let open: Question<Key, Value>[] = [];

  async function answer(questions: readonly Question<Key, Value>[]): Promise<void> {
    try {
      const answerOf = await ask(questions.map(({ key }) => key));
      for (const { key, found } of questions) found(answerOf(key));
    } catch (error) {
      if (questions.length === 1 || isRetryable(error)) for (const { lost } of questions) lost(error);
      else await Promise.all(questions.map((question) => answer([question])));
    }
  }

  function answerAll(): void {
    const questions = open;
    open = [];
    for (let from = 0; from < questions.length; from += MOST) void answer(questions.slice(from, from + MOST));
  }

  return (key) =>
    new Promise((found, lost) => {
      if (open.length === 0) setImmediate(answerAll);
      open.push({ key, found, lost });
    });
}

const askers = new WeakMap<Sql, (condition: Fragment) => Promise<boolean>>();

/** Checks whether work waits. Concurrent checks of all loops share one statement, so that idle polling is cheap. @param condition SQL condition */
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
