/** Which side each condition of a thesis belongs to: the action that it stands with. Where that is not settled, it is asked. */
import type { Item } from './compile-thesis.ts';
import type { Meaning } from './thesis-phrases.ts';

type ConditionMeaning = Extract<Meaning, { kind: 'gap' | 'condition' }>;
export interface SidedCondition {
  readonly item: Item & { readonly meaning: ConditionMeaning };
  readonly side: 'entry' | 'exit';
}

type ConditionItem = SidedCondition['item'];
const isCondition = (item: Item): item is ConditionItem => item.meaning.kind === 'gap' || item.meaning.kind === 'condition';
const isFree = ({ meaning }: ConditionItem): boolean => meaning.kind === 'condition' && meaning.anywhere === true;
const sideOfAction = (item: Item): 'entry' | 'exit' => (item.meaning as Extract<Meaning, { kind: 'action' }>).side;
const isAction = (item: Item): boolean => item.meaning.kind === 'action';
const isLink = (item: Item, word: string): boolean => item.meaning.kind === 'link' && item.meaning.word === word;

const WRITE_IT = 'Write "buy <asset> when …; sell when …".';

/** The side of every condition of one sentence; `before` is the side that the sentences before it ended with. */
function sentenceSides(items: readonly Item[], before: 'entry' | 'exit' | null, questions: string[]): Map<Item, 'entry' | 'exit'> {
  const sides = new Map<Item, 'entry' | 'exit'>();
  const actions = items.filter(isAction);
  const loose = items.filter((item): item is ConditionItem => isCondition(item) && !isFree(item));
  const [firstAction] = actions;
  if (firstAction === undefined) {
    if (loose.length > 0 && before !== 'entry')
      questions.push(`Is "${(loose[0] as Item).text}" meant for buying or for selling? ${WRITE_IT}`);
    for (const item of loose) sides.set(item, before ?? 'entry');
    return sides;
  }
  const prefix = loose.length > 0 && items.indexOf(loose[0] as Item) < items.indexOf(firstAction);
  for (const item of loose) sides.set(item, sideAt(items, item, actions, prefix, questions));
  return sides;
}

/** The side of a condition from the actions around it. */
function sideAt(items: readonly Item[], item: Item, actions: readonly Item[], prefix: boolean, questions: string[]): 'entry' | 'exit' {
  const place = items.indexOf(item);
  const earlier = actions.filter((action) => items.indexOf(action) < place).at(-1);
  const later = actions.find((action) => items.indexOf(action) > place);
  if (earlier === undefined) return sideOfAction(later as Item);
  if (later === undefined || !prefix || sideOfAction(later) === sideOfAction(earlier)) return sideOfAction(earlier);
  if (opensNextAction(items.slice(items.indexOf(earlier) + 1, place), items.slice(items.indexOf(later) + 1))) return sideOfAction(later);
  questions.push(`Is "${item.text}" meant for buying or for selling? ${WRITE_IT}`);
  return sideOfAction(earlier);
}

/** "… buy it, and when <condition> sell it": a new clause begins between the actions, and the later action has no condition after it. */
function opensNextAction(between: readonly Item[], after: readonly Item[]): boolean {
  const when = between.findIndex((one) => isLink(one, 'when'));
  const parted = between[when - 1];
  const newClause = parted !== undefined && (isLink(parted, 'and') || (isLink(parted, 'filler') && parted.text.includes(',')));
  const nextAction = after.findIndex(isAction);
  return newClause && !after.slice(0, nextAction < 0 ? after.length : nextAction).some((one) => isCondition(one) && !isFree(one));
}

/** `or` and `and` between conditions: entry conditions all have to pass, of exit conditions any one. */
function linkQuestions(items: readonly Item[], sides: ReadonlyMap<Item, 'entry' | 'exit'>): string[] {
  const questions: string[] = [];
  for (const [index, link] of items.entries()) {
    const isOr = isLink(link, 'or');
    if (!isOr && !isLink(link, 'and')) continue;
    const skipped = (item: Item): boolean =>
      isLink(item, 'filler') || isLink(item, 'when') || isLink(item, 'and') || isLink(item, 'or') || item.meaning.kind === 'asset';
    const left = items
      .slice(0, index)
      .reverse()
      .find((item) => !skipped(item));
    const right = items.slice(index + 1).find((item) => !skipped(item));
    const leftSide = left !== undefined && isCondition(left) ? sides.get(left) : undefined;
    const rightSide = right !== undefined && isCondition(right) ? sides.get(right) : undefined;
    if (isOr && !(leftSide === 'exit' && rightSide === 'exit')) {
      questions.push(
        `All entry conditions have to pass together: which of the alternatives around "${link.text}" is meant? Compile one Take for each.`,
      );
    }
    const guarded =
      (left !== undefined && isCondition(left) && isFree(left)) || (right !== undefined && isCondition(right) && isFree(right));
    if (!isOr && leftSide === 'exit' && rightSide === 'exit' && !guarded) {
      questions.push(
        `Any one exit condition is enough to sell: does "${(left as Item).text} and ${(right as Item).text}" mean both at once? Write them with "or", or keep one.`,
      );
    }
  }
  return questions;
}

/** An action that says nothing of when is asked about. */
function idleActions(items: readonly Item[], sides: ReadonlyMap<Item, 'entry' | 'exit'>): string[] {
  const has = (side: 'entry' | 'exit'): boolean => [...sides.values()].includes(side);
  const questions: string[] = [];
  if (!items.some((item) => isAction(item) && sideOfAction(item) === 'entry')) {
    questions.push('Is it to be bought? A Take begins with buying; write "buy <asset> when …".');
  } else if (!has('entry')) questions.push('When is it to be bought? Name a price, a discount or another condition.');
  const exits = items.filter((item) => isAction(item) && sideOfAction(item) === 'exit');
  if (exits.length > 0 && !has('exit')) questions.push(`When is it to be sold? "${(exits[0] as Item).text}" has no condition.`);
  return questions;
}

/** A condition that makes sense on one side only has to stand there. */
function misplaced({ item, side }: SidedCondition): string[] {
  const own = item.meaning.kind === 'condition' ? item.meaning.side : undefined;
  if (own === undefined || own === side) return [];
  return [
    `"${item.text}" can only be a condition for ${own === 'entry' ? 'buying' : 'selling'}, and it stands with ${side === 'entry' ? 'buying' : 'selling'}: what is meant?`,
  ];
}

/** Assigns every condition its side, with the questions that remain. */
export function assignSides(items: readonly Item[]): { readonly sided: readonly SidedCondition[]; readonly questions: readonly string[] } {
  const sides = new Map<Item, 'entry' | 'exit'>();
  const questions: string[] = [];
  let before: 'entry' | 'exit' | null = null;
  const last = items.at(-1)?.sentence ?? 0;
  for (let sentence = 0; sentence <= last; sentence++) {
    const own = items.filter((item) => item.sentence === sentence);
    for (const [item, side] of sentenceSides(own, before, questions)) sides.set(item, side);
    const ended = own.filter(isAction).at(-1);
    if (ended !== undefined) before = sideOfAction(ended);
  }
  for (const item of items) if (isCondition(item) && isFree(item)) sides.set(item, 'exit');
  const sided = items.filter(isCondition).map((item) => ({ item, side: sides.get(item) as 'entry' | 'exit' }));
  return { sided, questions: [...questions, ...linkQuestions(items, sides), ...idleActions(items, sides), ...sided.flatMap(misplaced)] };
}
