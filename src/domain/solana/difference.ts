/** Changes that a wallet made to a message before signing: instructions added, removed or altered, and anything else. */
import { listAccounts, listSigners, type WireInstruction, type WireMessage } from './message.ts';
import { type NamedProgram, namedProgram, programWords } from './programs.ts';

/** Contents of lookup tables: addresses by index. */
type Tables = ReadonlyMap<string, readonly string[]>;

/** Difference of two messages. Programs are listed in order, one entry per instruction. */
export interface MessageDifference {
  readonly inserted: readonly NamedProgram[];
  readonly removed: readonly NamedProgram[];
  /** Programs whose accounts or data changed in place. */
  readonly altered: readonly NamedProgram[];
  /** True if the instructions are the same in another order. */
  readonly reordered: boolean;
  /** Other parts that differ: `version`, `fee_payer`, `signers`, `blockhash`, `keys`, `lookups`, `header`. */
  readonly parts: readonly string[];
}

/**
 * Compares a prepared message with a returned one. An account is the same whether it is listed directly or by its index in one of `tables`,
 * because a wallet that inserts an instruction moves accounts out of them.
 */
export function compareMessages(prepared: WireMessage, given: WireMessage, tables: Tables = new Map()): MessageDifference {
  const [before, after] = [prepared, given].map((message) => spelled(message, tables)) as [Spelled[], Spelled[]];
  const { gone, come } = unmatched(before, after);
  const common = sameMembers(gone, come);
  const reordered = gone.length > 0 && common;
  const altered: Spelled[] = [];
  const inserted: Spelled[] = [];
  const left = common ? [] : [...gone];
  for (const one of common ? [] : come) {
    const place = left.findIndex(({ program, gap }) => program === one.program && gap === one.gap);
    if (place < 0) inserted.push(one);
    else altered.push(...left.splice(place, 1));
  }
  const named = (list: readonly Spelled[]): NamedProgram[] => list.map(({ program }) => namedProgram(program));
  return { inserted: named(inserted), removed: named(left), altered: named(altered), reordered, parts: partsThatDiffer(prepared, given) };
}

/** Describes the difference in one sentence. */
export function differenceWords({ inserted, removed, altered, reordered, parts }: MessageDifference): string {
  const said: string[] = [];
  const tell = (what: string, programs: readonly NamedProgram[]) => {
    if (programs.length > 0) said.push(`${what} ${programs.map(programWords).join(', ')}`);
  };
  tell('instructions were inserted of', inserted);
  tell('instructions were removed of', removed);
  tell('instructions were altered of', altered);
  if (reordered) said.push('instructions were put into another order');
  if (parts.length > 0) said.push(`${parts.join(', ')} ${parts.length === 1 ? 'differs' : 'differ'}`);
  return said.length === 0 ? 'the bytes differ' : said.join('; ');
}

/** An instruction as text, independent of its account indexes. */
interface Spelled {
  readonly program: string;
  readonly text: string;
  /** Number of common instructions before it. */
  gap: number;
}

function spelled(message: WireMessage, tables: Tables): Spelled[] {
  const accounts = listAccounts(message, tables);
  return message.instructions.map((instruction) => ({ program: instruction.program, text: spelledOne(instruction, accounts), gap: 0 }));
}

function spelledOne({ program, accounts, data }: WireInstruction, names: readonly string[]): string {
  const digits = [...data].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${program} ${accounts.map((account) => names[account]).join(',')} ${digits}`;
}

/** Returns the entries of both lists outside their longest common subsequence. */
function unmatched(before: readonly Spelled[], after: readonly Spelled[]): { readonly gone: Spelled[]; readonly come: Spelled[] } {
  const longest = Array.from({ length: before.length + 1 }, () => Array.from({ length: after.length + 1 }, () => 0));
  const at = (i: number, j: number): number => longest[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      (longest[i] as number[])[j] = before[i]?.text === after[j]?.text ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const gone: Spelled[] = [];
  const come: Spelled[] = [];
  let [i, j, matched] = [0, 0, 0];
  while (i < before.length || j < after.length) {
    const [old, young] = [before[i], after[j]];
    if (old !== undefined && young !== undefined && old.text === young.text) {
      matched++;
      i++;
      j++;
    } else if (young === undefined || (old !== undefined && at(i + 1, j) >= at(i, j + 1))) {
      gone.push({ ...(old as Spelled), gap: matched });
      i++;
    } else {
      come.push({ ...young, gap: matched });
      j++;
    }
  }
  return { gone, come };
}

function sameMembers(a: readonly Spelled[], b: readonly Spelled[]): boolean {
  const texts = (list: readonly Spelled[]) => list.map(({ text }) => text).sort();
  return a.length === b.length && texts(a).join('\n') === texts(b).join('\n');
}

function partsThatDiffer(prepared: WireMessage, given: WireMessage): string[] {
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const differs: readonly (readonly [string, boolean])[] = [
    ['version', prepared.version !== given.version],
    ['fee_payer', prepared.staticKeys[0] !== given.staticKeys[0]],
    ['signers', !same(listSigners(prepared), listSigners(given))],
    ['blockhash', prepared.blockhash !== given.blockhash],
    ['keys', !same(prepared.staticKeys, given.staticKeys)],
    ['lookups', !same(prepared.lookups, given.lookups)],
    ['header', !same(prepared.header, given.header)],
  ];
  return differs.flatMap(([part, is]) => (is ? [part] : []));
}
