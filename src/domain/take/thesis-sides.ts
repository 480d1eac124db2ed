/** Assigns each condition of a thesis to the side of its clause's verb. Asks if the clauses are ambiguous. */
import type { Meaning, Side } from './thesis-phrases.ts';

/** A phrase and its place. */
export interface Item {
  readonly text: string;
  readonly meaning: Meaning;
}

type ConditionMeaning = Extract<Meaning, { kind: 'gap' | 'level' | 'cross' | 'condition' }>;
export interface SidedCondition {
  readonly item: Item & { readonly meaning: ConditionMeaning };
  readonly side: Side;
}

type ConditionItem = SidedCondition['item'];
const CONDITION_KINDS: readonly string[] = ['gap', 'level', 'cross', 'condition'];
const isCondition = (item: Item): item is ConditionItem => CONDITION_KINDS.includes(item.meaning.kind);
const isAction = (item: Item): boolean => item.meaning.kind === 'action';
const sideOfAction = (item: Item): Side => (item.meaning as Extract<Meaning, { kind: 'action' }>).side;
const isLink = (item: Item | undefined, ...words: readonly string[]): boolean =>
  item?.meaning.kind === 'link' && words.includes(item.meaning.word);

/** Returns the side that a condition has wherever it appears: a stop or target, and at the exit a closed gap without a verb. */
function ownSide({ meaning }: ConditionItem): Side | null {
  if (meaning.kind === 'level') return meaning.level === 'at' || meaning.level === 'limit' ? null : 'exit';
  return meaning.kind === 'condition' && meaning.anywhere === true ? 'exit' : null;
}

const WRITE_IT = 'Write "buy <asset> when …; sell when …".';
const whichSide = (item: Item): string => `Is "${item.text}" meant for buying or for selling? ${WRITE_IT}`;

interface Clause {
  readonly items: readonly Item[];
  /** Link before it, or null at the beginning. */
  readonly after: 'comma' | 'sentence' | 'and' | 'or' | null;
}

/** Splits items into clauses, which end at commas and sentences, and at "and" or "or" before a verb or "when". */
function splitClauses(items: readonly Item[]): Clause[] {
  const clauses: { items: Item[]; after: Clause['after'] }[] = [{ items: [], after: null }];
  for (const [i, item] of items.entries()) {
    const joins = isLink(item, 'and', 'or');
    const next = items.slice(i + 1).find((one) => !isLink(one, 'filler'));
    const opens = joins && next !== undefined && (isAction(next) || isLink(next, 'when'));
    if (!opens && !isLink(item, 'comma', 'sentence', 'then')) {
      clauses.at(-1)?.items.push(item);
      continue;
    }
    const link = (item.meaning as Extract<Meaning, { kind: 'link' }>).word;
    const after = link === 'then' ? 'comma' : (link as 'comma' | 'sentence' | 'and' | 'or');
    const last = clauses.at(-1) as { items: Item[]; after: Clause['after'] };
    if (last.items.every((one) => isLink(one, 'filler', 'and', 'or'))) {
      // ", and when …" and ". Then …" begin one clause. The stronger of both links counts.
      const or = last.after === 'or' || last.items.some((one) => isLink(one, 'or')) || after === 'or';
      last.after = or ? 'or' : last.after === null ? null : last.after === 'sentence' || after === 'sentence' ? 'sentence' : after;
    } else clauses.push({ items: [], after });
  }
  return clauses;
}

const listLoose = (items: readonly Item[]): ConditionItem[] =>
  items.filter((item): item is ConditionItem => isCondition(item) && ownSide(item) === null);
const startsWithWhen = ({ items }: Clause): boolean =>
  isLink(
    items.find((item) => !isLink(item, 'filler') && item.meaning.kind !== 'asset'),
    'when',
  );

/** True for conditions of entries only, which belong there in a clause without a verb. */
const isEntryOnly = ({ meaning }: ConditionItem): boolean => meaning.kind === 'condition' && meaning.side === 'entry';
const isExitOnly = ({ meaning }: ConditionItem): boolean =>
  (meaning.kind === 'condition' && meaning.side === 'exit') || (meaning.kind === 'gap' && meaning.direction === 'parity');

class Assignment {
  readonly sides = new Map<Item, Side>();
  readonly questions: string[] = [];
  /** Side of the last verb, and if it already has a condition. */
  private before: Side | null = null;
  private settled = false;

  assign(clauses: readonly Clause[]): void {
    for (const [i, clause] of clauses.entries()) {
      const actions = clause.items.filter(isAction);
      if (actions.length === 0) this.withoutVerb(clause, clauses[i + 1]);
      else this.withVerbs(clause, actions);
    }
  }

  private set(item: ConditionItem, side: Side): void {
    this.sides.set(item, side);
    this.settled = true;
  }

  private withoutVerb(clause: Clause, next: Clause | undefined): void {
    const loose = listLoose(clause.items);
    const verbs = next?.items.filter(isAction) ?? [];
    const nextSide = verbs[0] === undefined ? null : sideOfAction(verbs[0]);
    const leadsOn = startsWithWhen(clause) && nextSide !== null && listLoose(next?.items ?? []).length === 0;
    for (const item of loose) {
      if (isEntryOnly(item)) this.sides.set(item, 'entry');
      else if (leadsOn && !(this.before === 'exit' && !this.settled)) this.set(item, nextSide as Side);
      else if (isExitOnly(item) && !startsWithWhen(clause)) this.set(item, 'exit');
      else if (this.before !== 'exit') this.set(item, 'entry');
      else if (clause.after === 'or' || clause.after === 'and' || !this.settled) this.set(item, 'exit');
      else {
        this.questions.push(whichSide(item));
        this.set(item, 'exit');
      }
    }
  }

  private withVerbs(clause: Clause, actions: readonly Item[]): void {
    const { items } = clause;
    const [first] = actions as [Item];
    for (const [i, verb] of actions.entries()) {
      const from = items.indexOf(verb) + 1;
      const until = i + 1 < actions.length ? items.indexOf(actions[i + 1] as Item) : items.length;
      const between = items.slice(from, until);
      const whens = between.filter((item) => isLink(item, 'when')).length;
      const next = actions[i + 1];
      if (next !== undefined && sideOfAction(next) !== sideOfAction(verb) && whens > 1)
        this.questions.push(whichSide(listLoose(between)[0] ?? verb));
      for (const item of listLoose(between)) this.sides.set(item, sideOfAction(verb));
    }
    const leading = listLoose(items.slice(0, items.indexOf(first)));
    const governed =
      listLoose(items.slice(items.indexOf(first) + 1)).length === 0 || startsWithWhen(clause) || sideOfAction(first) === 'entry';
    const side = governed ? sideOfAction(first) : (this.before ?? 'entry');
    for (const item of leading) {
      if (!governed && this.before === 'exit') this.questions.push(whichSide(item));
      this.sides.set(item, isEntryOnly(item) && sideOfAction(first) === 'exit' && !governed ? 'entry' : side);
    }
    const last = actions.at(-1) as Item;
    this.before = sideOfAction(last);
    this.settled = listLoose(items.slice(items.indexOf(last) + 1)).length > 0 || (last === first && governed && leading.length > 0);
  }
}

/** Asks about unclear `or` and `and` between conditions: entry conditions must all pass, of exit conditions any one. */
function linkQuestions(items: readonly Item[], sides: ReadonlyMap<Item, Side>): string[] {
  const questions: string[] = [];
  const skipped = (item: Item): boolean => isLink(item, 'filler', 'when', 'and', 'or', 'comma', 'then') || item.meaning.kind === 'asset';
  for (const [i, link] of items.entries()) {
    if (!isLink(link, 'or', 'and')) continue;
    const left = items.slice(0, i).findLast((item) => !skipped(item) && !isAction(item));
    const right = items.slice(i + 1).find((item) => !skipped(item) && !isAction(item));
    const leftSide = left === undefined ? undefined : sides.get(left);
    const rightSide = right === undefined ? undefined : sides.get(right);
    if (isLink(link, 'or') && !(leftSide === 'exit' && rightSide === 'exit'))
      questions.push(
        `All entry conditions have to pass together: which of the alternatives around "${link.text}" is meant? Compile one Take for each.`,
      );
    const guards = [left, right].some((item) => item !== undefined && isCondition(item) && ownSide(item) !== null);
    const verb = items.slice(i + 1).find((item) => !isLink(item, 'filler', 'comma'));
    if (isLink(link, 'and') && leftSide === 'exit' && rightSide === 'exit' && !guards && !(verb !== undefined && isAction(verb)))
      questions.push(
        `Any one exit condition is enough to sell: does "${left?.text} and ${right?.text}" mean both at once? Write them with "or", or keep one.`,
      );
  }
  return questions;
}

/** Asks about a verb without a condition, and about a thesis that does not buy. */
function idleActions(items: readonly Item[], sides: ReadonlyMap<Item, Side>): string[] {
  const has = (side: Side): boolean => [...sides.values()].includes(side);
  const verb = (side: Side): Item | undefined => items.find((item) => isAction(item) && sideOfAction(item) === side);
  const questions: string[] = [];
  // An amount with a condition is also a purchase, with which a Take begins.
  const buys = verb('entry') !== undefined || (has('entry') && items.some(({ meaning }) => meaning.kind === 'allocation'));
  if (!buys) questions.push('Is it to be bought? A Take begins with buying; write "buy <asset> when …".');
  else if (!has('entry')) questions.push('When is it to be bought? Name a price, a discount or another condition.');
  const exit = verb('exit');
  if (exit !== undefined && !has('exit')) questions.push(`When is it to be sold? "${exit.text}" has no condition.`);
  return questions;
}

/** Asks about a condition on a side where it makes no sense. */
function misplaced({ item, side }: SidedCondition): string[] {
  const own = item.meaning.kind === 'condition' ? item.meaning.side : undefined;
  if (own === undefined || own === side) return [];
  return [
    `"${item.text}" can only be a condition for ${own === 'entry' ? 'buying' : 'selling'}, and it stands with ${side === 'entry' ? 'buying' : 'selling'}: what is meant?`,
  ];
}

/** Assigns every condition its side, and returns the remaining questions. */
export function assignSides(items: readonly Item[]): { readonly sided: readonly SidedCondition[]; readonly questions: readonly string[] } {
  const assignment = new Assignment();
  assignment.assign(splitClauses(items));
  const { sides, questions } = assignment;
  for (const item of items) if (isCondition(item) && ownSide(item) !== null) sides.set(item, ownSide(item) as Side);
  const sided = items.filter(isCondition).map((item) => ({ item, side: sides.get(item) ?? 'entry' }));
  return { sided, questions: [...questions, ...linkQuestions(items, sides), ...idleActions(items, sides), ...sided.flatMap(misplaced)] };
}
