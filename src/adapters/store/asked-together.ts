/** Questions that are asked at the same moment, as one statement: what each of many executions reads costs a share of one read. */
import { isRetryable } from './database.ts';

/** Maximum questions of one statement. */
const MOST = 256;

interface Question<Key, Value> {
  readonly key: Key;
  readonly found: (value: Value) => void;
  readonly lost: (error: unknown) => void;
}

/**
 * `ask` answers many questions at once; what is returned answers one, together with all that are asked before the process
 * turns to its next event. Where a statement fails for another reason than its connection, each question is asked alone, so
 * that a row that cannot be read fails its own question.
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
