/** The sandbox's primary chain: a virtual machine with slots, commitments, blockhashes that expire and forks on command. */
import { type Address, address, lamports as amountOf, type EncodedAccount } from '@solana/kit';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { TransactionError } from './errors.ts';
import { createModelledMachine, type ProgramModel } from './launch-programs/modelled-machine.ts';
import { createMachine, type Machine, type Moment, memoOf, type Run } from './machine.ts';
import { BLOCKHASH_LIFE, type Commitment, createSlotClock, FINAL_AFTER, type SlotClock } from './slot-clock.ts';
import { fullySigned, type ReadTransaction } from './decode-transaction.ts';

/** A transaction that stands in a block. */
export interface Landed {
  readonly transaction: ReadTransaction;
  readonly signature: string;
  readonly slot: number;
  readonly unixSeconds: number;
  readonly run: Run;
  readonly memo: string | null;
}

/** Treatment of a transaction that a node takes: it lands at once, it is lost, or it lands on command. */
export type Intake = 'land' | 'lose' | 'keep';

export interface Simulated {
  readonly error: TransactionError | null;
  readonly run: Run | null;
}

/** Controls of the chain for tests and the sandbox's operator. */
export interface ChainControl {
  advance(slots: number): void;
  hold(at: Exclude<Commitment, 'finalized'> | null): void;
  /** Takes every block up to now as final. */
  finalize(): void;
  /** Lets so many blocks pass that no blockhash given out so far can be used any more. */
  expireBlockhashes(): void;
  /** A fork without this transaction wins: it is undone, and what followed it is carried out again. False if it is final or unknown. */
  drop(signature: string): boolean;
  intake(way: Intake): void;
  /** Lands what was kept, in the order of its coming, as far as it still can; answers how many did. */
  landKept(): number;
  /** Makes the node say a height that is this much off. */
  misreportHeight(by: number): void;
}

export interface SolanaChain
  extends ChainControl,
    Pick<SlotClock, 'slot' | 'commitmentOf' | 'latestBlockhash' | 'isValid' | 'hashOf' | 'now'> {
  blockHeight(commitment: Commitment): number;
  account(at: Address, commitment: Commitment): EncodedAccount | null;
  owned(program: Address, commitment: Commitment): EncodedAccount[];
  rent(bytes: number): bigint;
  /** Null if it is in no block that has reached `processed`. */
  landed(signature: string): Landed | null;
  /** Returns the transactions that name an address, newest first. */
  historyOf(at: Address): readonly Landed[];
  /** Simulates a transaction on the newest block. A null commitment skips the check of its blockhash. */
  simulate(transaction: ReadTransaction, blockhashAt: Commitment | null): Simulated;
  /** Hands a transaction to the leader: signatures, blockhash and repetition are checked there, and what fails is dropped silently. */
  submit(transaction: ReadTransaction): void;
  /** Lands a transaction of the sandbox itself, independent of others; null if the chain would refuse it. */
  landNow(transaction: ReadTransaction): Landed | null;
  /** Writes an account into the chain's first block. */
  found(account: EncodedAccount): void;
  addProgram(at: Address, elf: Uint8Array): void;
  /** Calls whenever something landed, was dropped or passed on command; returns what ends that. */
  onChange(call: () => void): () => void;
}

/** The account that programs and clients read the time from. */
const CLOCK_SYSVAR = address('SysvarC1ock11111111111111111111111111111111');

export interface SolanaChainOptions {
  readonly clock: Clock;
  readonly seed: number;
  readonly slots: 'clock' | 'manual';
  /** Programs of which the chain has no binary unless one is added. */
  readonly models?: ReadonlyMap<string, ProgramModel>;
}

/** Makes a chain that holds nothing but the standard programs. `manual`: no slot passes by itself. */
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

  /** Accounts of earlier commitments: as they were before the first later transaction that wrote to them. */
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
    // Not even the newest final block, which is the last to notice, takes one of them.
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

  /** Discards the state before final blocks, which are never undone. */
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
    const landed = { transaction, signature: transaction.signature, slot, unixSeconds, run, memo: memoOf(transaction) };
    this.#forgetUndo();
    this.#blocks.push(landed);
    this.#bySignature.set(landed.signature, landed);
    return true;
  }

  /** The place of the first block behind a slot. Only the newest few are ever behind. */
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

  /** Accepts a transaction as a leader does: checks it, and puts it into the newest block. */
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

/** An account for the chain's first block. */
export function accountOf(at: Address, owner: Address, data: Uint8Array, lamports: bigint): EncodedAccount {
  return { address: at, programAddress: owner, data, lamports: amountOf(lamports), executable: false, space: BigInt(data.length) };
}
