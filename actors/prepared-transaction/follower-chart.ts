/** Chart parts shared by actors that submit and follow a prepared transaction: answers, ends and repeated queries. */
interface EndedAnswer {
  readonly outcome: 'ended';
  readonly how: 'expired' | 'failed';
  readonly reason: string;
  readonly detail: string;
}

interface EventArgs<Answer> {
  readonly event: { readonly type: string } | { readonly type: 'activity.done'; readonly answer: Answer };
}

/** Returns the answer in an event, or null if there is none. */
export function readAnswer<Answer>({ event }: EventArgs<Answer>): Answer | null {
  return 'answer' in event ? event.answer : null;
}

/** Guard: true if the answer has this outcome. */
export const answers =
  <Answer extends { readonly outcome: string }>(outcome: Answer['outcome']) =>
  (args: EventArgs<Answer>): boolean =>
    readAnswer(args)?.outcome === outcome;

/** Guard: true if the transaction has ended this way. */
export const ended =
  (how: EndedAnswer['how']) =>
  (args: EventArgs<EndedAnswer | { readonly outcome: Exclude<string, 'ended'> }>): boolean => {
    const answer = readAnswer(args);
    return answer !== null && 'how' in answer && answer.how === how;
  };

/** Returns the reason and detail that a context keeps when the transaction has ended. */
export function readEnd(args: EventArgs<EndedAnswer | { readonly outcome: string }>): {
  readonly reason?: string;
  readonly detail?: string;
} {
  const answer = readAnswer(args);
  return answer !== null && 'how' in answer ? { reason: answer.reason, detail: answer.detail } : {};
}

/** Transitions of an `activity.done` whose transaction has ended. */
export const ENDS = [
  { guard: 'isExpired', target: 'expired', actions: 'rememberEnd' },
  { guard: 'isFailed', target: 'failed', actions: 'rememberEnd' },
] as const;

/** Nested state with a timer that repeats a query. An answer without news enters it again. */
export const again = <Action extends string, Delay extends string>(action: Action, delay: Delay) =>
  ({
    initial: 'waiting',
    states: { waiting: { after: { [delay]: { actions: action } } as { [Key in Delay]: { actions: Action } } } },
  }) as const;

export const WAIT = { target: '.waiting' } as const;
