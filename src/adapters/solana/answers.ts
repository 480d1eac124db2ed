/**
 * Strict parsing of a node's answers: a value of the wrong type refuses the answer with its path. See
 * docs/reference/outside/primary-chain.md.
 */
import type { ChainAccount } from '../../../actors/prepared-transaction/chain-client.ts';
import { isAddress } from '../../domain/solana/base58.ts';
import type { BalanceChanges, Commitment, TokenChange } from '../../domain/solana/chain.ts';
import { NodeError } from '../json-rpc.ts';

/** Value of an answer with its path. Every method throws `NodeError` for a value of the wrong type. */
export class AnswerReader {
  readonly #value: unknown;
  readonly #where: string;

  constructor(value: unknown, where: string) {
    this.#value = value;
    this.#where = where;
  }

  #wrong(wanted: string): NodeError {
    const given = JSON.stringify(this.#value)?.slice(0, 60) ?? 'nothing';
    return new NodeError('malformed', `the node answered ${given} at ${this.#where}, where ${wanted} should stand`);
  }

  isNull(): boolean {
    return this.#value === null || this.#value === undefined;
  }

  orNull<Value>(read: (reader: AnswerReader) => Value): Value | null {
    return this.isNull() ? null : read(this);
  }

  /** Returns a member of an object; a missing one is undefined. */
  field(name: string): AnswerReader {
    if (typeof this.#value !== 'object' || this.#value === null || Array.isArray(this.#value)) throw this.#wrong('an object');
    const found = Object.hasOwn(this.#value, name) ? (this.#value as Record<string, unknown>)[name] : undefined;
    return new AnswerReader(found, `${this.#where}.${name}`);
  }

  list(): readonly AnswerReader[] {
    if (!Array.isArray(this.#value)) throw this.#wrong('a list');
    return this.#value.map((one, index) => new AnswerReader(one, `${this.#where}[${index}]`));
  }

  text(): string {
    if (typeof this.#value !== 'string') throw this.#wrong('a text');
    return this.#value;
  }

  /** Returns a number without lost digits. */
  whole(): number {
    if (typeof this.#value !== 'number' || !Number.isSafeInteger(this.#value) || this.#value < 0)
      throw this.#wrong('a whole number below 2^53');
    return this.#value;
  }

  /** Returns raw units as text. */
  units(): string {
    if (typeof this.#value !== 'string' || !/^(0|[1-9]\d{0,19})$/.test(this.#value)) throw this.#wrong('a whole number as text');
    return this.#value;
  }

  address(): string {
    if (typeof this.#value !== 'string' || !isAddress(this.#value)) throw this.#wrong('an address');
    return this.#value;
  }

  commitment(): Commitment {
    if (this.#value !== 'processed' && this.#value !== 'confirmed' && this.#value !== 'finalized')
      throw this.#wrong('processed, confirmed or finalized');
    return this.#value;
  }

  /** Returns the error of the chain as text; null if there is none. */
  errorText(): string | null {
    if (this.#value === null) return null;
    if (typeof this.#value === 'string' && this.#value !== '') return this.#value;
    if (typeof this.#value === 'object') return JSON.stringify(this.#value);
    throw this.#wrong('an error or null');
  }

  account(): ChainAccount {
    const [text, encoding] = this.field('data').list();
    if (text === undefined || encoding?.text() !== 'base64') throw this.#wrong('an account in base64');
    const spelled = text.text();
    const data = Buffer.from(spelled, 'base64');
    if (data.toString('base64') !== spelled) throw this.#wrong('an account in base64');
    return { owner: this.field('owner').address(), data };
  }

  /** Returns the addresses of lookup tables in the order of the transaction's indexes. */
  loaded(): readonly string[] {
    return [...this.field('writable').list(), ...this.field('readonly').list()].map((one) => one.address());
  }
}

/** Returns the balances of the named accounts before and after. */
export function changesFrom(told: AnswerReader, names: readonly string[]): BalanceChanges {
  const [before, after] = [told.field('preBalances').list(), told.field('postBalances').list()];
  if (before.length !== names.length || after.length !== names.length)
    throw new NodeError(
      'malformed',
      `the node told ${before.length} balances before and ${after.length} after for ${names.length} accounts`,
    );
  const lamports = names.map((account, index) => ({
    account,
    before: String((before[index] as AnswerReader).whole()),
    after: String((after[index] as AnswerReader).whole()),
  }));
  return { lamports, tokens: tokenChanges(told, names) };
}

function tokenChanges(told: AnswerReader, names: readonly string[]): TokenChange[] {
  const tokens = new Map<string, TokenChange>();
  for (const [side, list] of [['before', 'preTokenBalances'] as const, ['after', 'postTokenBalances'] as const]) {
    for (const one of told.field(list).list()) {
      const account = names[one.field('accountIndex').whole()];
      if (account === undefined)
        throw new NodeError('malformed', 'the node told the token balance of an account that the transaction lacks');
      const mint = one.field('mint').address();
      const owner = one.field('owner').orNull((given) => given.address());
      const amount = one.field('uiTokenAmount').field('amount').units();
      tokens.set(account, { ...(tokens.get(account) ?? { account, mint, owner, before: '0', after: '0' }), [side]: amount });
    }
  }
  return [...tokens.values()];
}
