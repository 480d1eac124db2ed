/** Simulated primary chain: a virtual machine with slots, commitments, expiring blockhashes and forks on command. */
import { type Address, address, lamports as amountOf, type EncodedAccount } from '@solana/kit';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { TransactionError } from './transaction-error.ts';
import { createModelledMachine, type ProgramModel } from './launch-programs/modelled-machine.ts';
import { createMachine, type Machine, type Moment, readMemo, type Run } from './machine.ts';
import { BLOCKHASH_LIFE, type Commitment, createSlotClock, FINAL_AFTER, type SlotClock } from './slot-clock.ts';
import { fullySigned, type ReadTransaction } from './decode-transaction.ts';

/** Transaction in a block. */
export interface Landed {
  readonly transaction: ReadTransaction;
  readonly signature: string;
  readonly slot: number;
  readonly unixSeconds: number;
  readonly run: Run;
  readonly memo: string | null;
}

/** Treatment of a submitted transaction: it lands at once, it is lost, or it lands on command. */
export type Intake = 'land' | 'lose' | 'keep';

interface Simulated {
  readonly error: TransactionError | null;
  readonly run: Run | null;
}

/** Chain controls for tests and the sandbox's operator. */
interface ChainControl {
  advance(slots: number): void;
  hold(at: Exclude<Commitment, 'finalized'> | null): void;
  /** Finalizes every block up to now. */
  finalize(): void;
  /** Advances the chain until all blockhashes given out so far have expired. */
  expireBlockhashes(): void;
  /** Drops a transaction by a fork: undoes it and executes the later ones again. False if it is final or unknown. */
  drop(signature: string): boolean;
  intake(way: Intake): void;
  /** Lands the transactions that were held back, in order of arrival, if still valid. Returns their number. */
  landKept(): number;
  /** Makes the node report a block height that is off by this number. */
  misreportHeight(by: number): void;
}

export interface SolanaChain
  extends ChainControl,
    Pick<SlotClock, 'slot' | 'commitmentOf' | 'latestBlockhash' | 'isValid' | 'hashOf' | 'now'> {
  blockHeight(commitment: Commitment): number;
  account(at: Address, commitment: Commitment): EncodedAccount | null;
  owned(program: Address, commitment: Commitment): EncodedAccount[];
  rent(bytes: number): bigint;
  /** Returns a transaction, or null if no block at `processed` has it. */
  landed(signature: string): Landed | null;
  /** Returns the transactions that name an address, newest first. */
  historyOf(at: Address): readonly Landed[];
  /** Simulates a transaction on the newest block. With a null commitment the blockhash is not checked. */
  simulate(transaction: ReadTransaction, blockhashAt: Commitment | null): Simulated;
  /** Submits a transaction to the leader, which checks signatures, blockhash and duplicates. Failures are dropped silently. */
  submit(transaction: ReadTransaction): void;
  /** Lands a transaction of the sandbox itself, or returns null if the chain would refuse it. */
  landNow(transaction: ReadTransaction): Landed | null;
  /** Writes an account into the genesis block. */
  found(account: EncodedAccount): void;
  addProgram(at: Address, elf: Uint8Array): void;
  /** Calls back when a transaction lands or is dropped, or slots pass on command. Returns a function that unsubscribes. */
  onChange(call: () => void): () => void;
}

/** Sysvar account that gives programs and clients the time. */
const CLOCK_SYSVAR = address('SysvarC1ock11111111111111111111111111111111');

interface SolanaChainOptions {
  readonly clock: Clock;
  readonly seed: number;
  readonly slots: 'clock' | 'manual';
  /** Models of programs whose binary the chain does not have. */
  readonly models?: ReadonlyMap<string, ProgramModel>;
}

/** Creates a chain with only the standard programs. With `manual` no slot passes by itself. */
export function createSolanaChain(options: SolanaChainOptions): SolanaChain {
  return new LedgerChain(options);
}

class LedgerChain implements SolanaChain {
  readonly #slots;
  readonly #machine: Machine;
  #blocks: Landed[] = [];
  readonly #bySignature = new Map<string, Landed>();
  readonly #kept: ReadTransaction[] = [];
  readonly #listeners = new Set<() => void>();
  #intake: Intake = 'land';
  #heightError = 0;

  #settled = 0;

  constructor(options: SolanaChainOptions) {
    this.#slots = createSlotClock(options);
    this.#machine = createModelledMachine(createMachine(), options.models ?? new Map());
  }

  /** Returns an account at a commitment: as it was before the first later transaction that wrote to it. */
  account(at: Address, commitment: Commitment): EncodedAccount | null {
    const bank = this.#slots.slot(commitment);
    if (commitment !== 'processed') {
      const first = this.#blocks.slice(this.#firstAfter(bank)).find(({ run }) => run.undo.has(at));
      if (first !== undefined) return first.run.undo.get(at) ?? null;
    }
    if (at === CLOCK_SYSVAR) this.#machine.set(this.#moment());
    return this.#machine.account(at);
  }

  owned(program: Address, commitment: Commitment): EncodedAccount[] {
    const found = new Map(this.#machine.owned(program).map((one) => [one.address, one]));
    if (commitment === 'processed') return [...found.values()];
    const touched = new Set(this.#blocks.slice(this.#firstAfter(this.#slots.slot(commitment))).flatMap(({ run }) => [...run.undo.keys()]));
    for (const at of touched) {
      const then = this.account(at, commitment);
      if (then?.programAddress === program) found.set(at, then);
      else found.delete(at);
    }
    return [...found.values()];
  }

  drop(signature: string): boolean {
    const from = this.#blocks.findIndex((landed) => landed.signature === signature);
    if (from < 0 || this.#slots.commitmentOf((this.#blocks[from] as Landed).slot) === 'finalized') return false;
    const undone = this.#blocks.slice(from);
    for (const landed of undone.toReversed()) {
      for (const [at, before] of landed.run.undo) this.#machine.put(at, before);
      this.#bySignature.delete(landed.signature);
    }
    this.#blocks = this.#blocks.slice(0, from);
    for (const { transaction, slot, unixSeconds } of undone.slice(1))
      this.#land(transaction, { slot, unixSeconds, hashOf: this.#slots.hashOf });
    this.#changed();
    return true;
  }

  get now() {
    return this.#slots.now;
  }

  get slot() {
    return this.#slots.slot;
  }

  get commitmentOf() {
    return this.#slots.commitmentOf;
  }

  get latestBlockhash() {
    return this.#slots.latestBlockhash;
  }

  get isValid() {
    return this.#slots.isValid;
  }

  get hashOf() {
    return this.#slots.hashOf;
  }

  blockHeight(commitment: Commitment): number {
    return this.#slots.blockHeight(commitment) + this.#heightError;
  }

  get rent() {
    return this.#machine.rent;
  }

  landed(signature: string): Landed | null {
    return this.#bySignature.get(signature) ?? null;
  }

  historyOf(at: Address): readonly Landed[] {
    return this.#blocks.filter(({ run }) => run.keys.includes(at)).toReversed();
  }

  simulate(transaction: ReadTransaction, blockhashAt: Commitment | null): Simulated {
    if (this.#bySignature.has(transaction.signature)) return { error: 'AlreadyProcessed', run: null };
    if (blockhashAt !== null && !this.#slots.isValid(transaction.blockhash, blockhashAt)) return { error: 'BlockhashNotFound', run: null };
    const run = this.#machine.rehearse(transaction, this.#moment());
    return { error: run.error, run };
  }

  submit(transaction: ReadTransaction): void {
    if (this.#intake === 'keep') this.#kept.push(transaction);
    else if (this.#intake === 'land' && this.#accept(transaction)) this.#changed();
  }

  landNow(transaction: ReadTransaction): Landed | null {
    if (!this.#accept(transaction)) return null;
    this.#changed();
    return this.#bySignature.get(transaction.signature) ?? null;
  }

  found(one: EncodedAccount): void {
    this.#machine.put(one.address, one);
  }

  addProgram(at: Address, elf: Uint8Array): void {
    this.#machine.addProgram(at, elf);
  }

  onChange(call: () => void): () => void {
    this.#listeners.add(call);
    return () => void this.#listeners.delete(call);
  }

  advance(count: number): void {
    this.#slots.advance(count);
    this.#changed();
  }

  hold(at: Exclude<Commitment, 'finalized'> | null): void {
    this.#slots.hold(at);
    this.#changed();
  }

  finalize(): void {
    this.#slots.hold(null);
    this.#slots.advance(FINAL_AFTER);
    this.#changed();
  }

  expireBlockhashes(): void {
    // Far enough that even the newest final block, the last to notice, accepts none of them.
    this.#slots.advance(BLOCKHASH_LIFE + FINAL_AFTER + 1);
    this.#changed();
  }

  intake(way: Intake): void {
    return void (this.#intake = way);
  }

  landKept(): number {
    const count = this.#kept.splice(0).filter((transaction) => this.#accept(transaction)).length;
    this.#changed();
    return count;
  }

  misreportHeight(by: number): void {
    if (!Number.isSafeInteger(by)) throw new RangeError(`a height is off by a whole number, not ${by}`);
    this.#heightError = by;
  }

  /** Discards undo data of final blocks. */
  #forgetUndo(): void {
    const final = this.#slots.slot('finalized');
    for (; this.#settled < this.#blocks.length && (this.#blocks[this.#settled] as Landed).slot <= final; this.#settled++) {
      const { run } = this.#blocks[this.#settled] as Landed;
      run.undo.clear();
      run.outcome.clear();
    }
  }

  #land(transaction: ReadTransaction, at: Moment): boolean {
    const run = this.#machine.run(transaction, at);
    if (!run.begun) return false;
    const { slot, unixSeconds } = at;
    const landed = { transaction, signature: transaction.signature, slot, unixSeconds, run, memo: readMemo(transaction) };
    this.#forgetUndo();
    this.#blocks.push(landed);
    this.#bySignature.set(landed.signature, landed);
    return true;
  }

  /** Returns the index of the first block after a slot. Searches from the end, because few blocks follow. */
  #firstAfter(slot: number): number {
    let at = this.#blocks.length;
    while (at > 0 && (this.#blocks[at - 1] as Landed).slot > slot) at--;
    return at;
  }

  #changed(): void {
    for (const call of this.#listeners) call();
  }

  #moment(): Moment {
    return {
      slot: this.#slots.slot('processed'),
      unixSeconds: Math.floor(this.#slots.now() / 1_000),
      hashOf: this.#slots.hashOf,
    };
  }

  /** Checks a transaction like a leader, and puts it into the newest block. */
  #accept(transaction: ReadTransaction): boolean {
    if (
      this.#bySignature.has(transaction.signature) ||
      !this.#slots.isValid(transaction.blockhash, 'processed') ||
      !fullySigned(transaction)
    )
      return false;
    return this.#land(transaction, this.#moment());
  }
}

/** Creates an account for the genesis block. */
export function createAccount(at: Address, owner: Address, data: Uint8Array, lamports: bigint): EncodedAccount {
  return { address: at, programAddress: owner, data, lamports: amountOf(lamports), executable: false, space: BigInt(data.length) };
}
