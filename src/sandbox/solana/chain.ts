/** The sandbox's primary chain: a virtual machine with slots, commitments, blockhashes that expire and forks on command. */
import { type Address, address, lamports as amountOf, type EncodedAccount } from '@solana/kit';
import type { Clock } from '../../../streams/clock.ts';
import type { TransactionError } from './errors.ts';
import { createModelledMachine, type ProgramModel } from './launch-programs/modelled-machine.ts';
import { createMachine, type Machine, type Moment, memoOf, type Run } from './machine.ts';
import { BLOCKHASH_LIFE, type Commitment, createSlotClock, FINAL_AFTER, type SlotClock } from './slot-clock.ts';
import { fullySigned, type ReadTransaction } from './wire.ts';

/** A transaction that stands in a block. */
export interface Landed {
  readonly transaction: ReadTransaction;
  readonly signature: string;
  readonly slot: number;
  readonly unixSeconds: number;
  readonly run: Run;
  readonly memo: string | null;
}

/** What becomes of a transaction that a node takes: it lands at once, it is lost, or it lands when told. */
export type Intake = 'land' | 'lose' | 'keep';

export interface Simulated {
  readonly error: TransactionError | null;
  readonly run: Run | null;
}

/** What tests and the sandbox's operator do with the chain. */
export interface ChainControl {
  advance(slots: number): void;
  hold(at: Exclude<Commitment, 'finalized'> | null): void;
  /** Takes every block up to now as final. */
  finalize(): void;
  /** Lets so many blocks pass that no blockhash given out so far can be used any more. */
  expireBlockhashes(): void;
  /** A fork without this transaction wins: it is undone, and what followed it is carried out again. False where it is final or unknown. */
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
  /** Null where it lies in no block that has come as far as `processed`. */
  landed(signature: string): Landed | null;
  /** What names an address, newest first. */
  historyOf(at: Address): readonly Landed[];
  /** What a transaction would do on the newest block; null as commitment leaves its blockhash alone. */
  simulate(transaction: ReadTransaction, blockhashAt: Commitment | null): Simulated;
  /** Hands a transaction to the leader: signatures, blockhash and repetition are checked there, and what fails is dropped silently. */
  submit(transaction: ReadTransaction): void;
  /** Lands a transaction of the sandbox itself, whatever becomes of others; null where the chain would not take it. */
  landNow(transaction: ReadTransaction): Landed | null;
  /** Writes an account into the chain's first block. */
  found(account: EncodedAccount): void;
  addProgram(at: Address, elf: Uint8Array): void;
  /** Calls whenever something landed, was dropped or passed on command; returns what ends that. */
  onChange(call: () => void): () => void;
}

/** The account that programs and clients read the time from. */
const CLOCK_SYSVAR = address('SysvarC1ock11111111111111111111111111111111');

/** Makes a chain that holds nothing but the standard programs. `manual`: no slot passes by itself. */
export function createSolanaChain(options: {
  readonly clock: Clock;
  readonly seed: number;
  readonly slots: 'clock' | 'manual';
  /** Programs of which the chain has no binary unless one is added. */
  readonly models?: ReadonlyMap<string, ProgramModel>;
}): SolanaChain {
  const slots = createSlotClock(options);
  const machine: Machine = createModelledMachine(createMachine(), options.models ?? new Map());
  let blocks: Landed[] = [];
  const bySignature = new Map<string, Landed>();
  const kept: ReadTransaction[] = [];
  const listeners = new Set<() => void>();
  let intake: Intake = 'land';
  let heightError = 0;
  const changed = (): void => {
    for (const call of listeners) call();
  };
  const moment = (): Moment => ({ slot: slots.slot('processed'), unixSeconds: Math.floor(slots.now() / 1_000), hashOf: slots.hashOf });
  let settled = 0;

  /** What is final is never undone: how things were before it is forgotten. */
  function forgetUndo(): void {
    const final = slots.slot('finalized');
    for (; settled < blocks.length && (blocks[settled] as Landed).slot <= final; settled++) {
      const { run } = blocks[settled] as Landed;
      run.undo.clear();
      run.outcome.clear();
    }
  }

  function land(transaction: ReadTransaction, at: Moment): boolean {
    const run = machine.run(transaction, at);
    if (!run.begun) return false;
    const { slot, unixSeconds } = at;
    const landed = { transaction, signature: transaction.signature, slot, unixSeconds, run, memo: memoOf(transaction) };
    forgetUndo();
    blocks.push(landed);
    bySignature.set(landed.signature, landed);
    return true;
  }

  /** What a leader does with a transaction: checks it, and puts it into the newest block. */
  function accept(transaction: ReadTransaction): boolean {
    if (bySignature.has(transaction.signature) || !slots.isValid(transaction.blockhash, 'processed') || !fullySigned(transaction))
      return false;
    return land(transaction, moment());
  }

  /** Accounts of earlier commitments: as they were before the first later transaction that wrote to them. */
  function account(at: Address, commitment: Commitment): EncodedAccount | null {
    const bank = slots.slot(commitment);
    if (commitment !== 'processed') {
      const first = blocks.slice(firstAfter(bank)).find(({ run }) => run.undo.has(at));
      if (first !== undefined) return first.run.undo.get(at) ?? null;
    }
    if (at === CLOCK_SYSVAR) machine.set(moment());
    return machine.account(at);
  }

  /** The place of the first block behind a slot. Only the newest few are ever behind. */
  function firstAfter(slot: number): number {
    let at = blocks.length;
    while (at > 0 && (blocks[at - 1] as Landed).slot > slot) at--;
    return at;
  }

  function owned(program: Address, commitment: Commitment): EncodedAccount[] {
    const found = new Map(machine.owned(program).map((one) => [one.address, one]));
    if (commitment === 'processed') return [...found.values()];
    const touched = new Set(blocks.slice(firstAfter(slots.slot(commitment))).flatMap(({ run }) => [...run.undo.keys()]));
    for (const at of touched) {
      const then = account(at, commitment);
      if (then?.programAddress === program) found.set(at, then);
      else found.delete(at);
    }
    return [...found.values()];
  }

  function drop(signature: string): boolean {
    const from = blocks.findIndex((landed) => landed.signature === signature);
    if (from < 0 || slots.commitmentOf((blocks[from] as Landed).slot) === 'finalized') return false;
    const undone = blocks.slice(from);
    for (const landed of undone.toReversed()) {
      for (const [at, before] of landed.run.undo) machine.put(at, before);
      bySignature.delete(landed.signature);
    }
    blocks = blocks.slice(0, from);
    for (const { transaction, slot, unixSeconds } of undone.slice(1)) land(transaction, { slot, unixSeconds, hashOf: slots.hashOf });
    changed();
    return true;
  }

  return {
    now: slots.now,
    slot: slots.slot,
    commitmentOf: slots.commitmentOf,
    latestBlockhash: slots.latestBlockhash,
    isValid: slots.isValid,
    hashOf: slots.hashOf,
    blockHeight: (commitment) => slots.blockHeight(commitment) + heightError,
    account,
    owned,
    rent: machine.rent,
    landed: (signature) => bySignature.get(signature) ?? null,
    historyOf: (at) => blocks.filter(({ run }) => run.keys.includes(at)).toReversed(),
    simulate(transaction, blockhashAt) {
      if (bySignature.has(transaction.signature)) return { error: 'AlreadyProcessed', run: null };
      if (blockhashAt !== null && !slots.isValid(transaction.blockhash, blockhashAt)) return { error: 'BlockhashNotFound', run: null };
      const run = machine.rehearse(transaction, moment());
      return { error: run.error, run };
    },
    submit(transaction) {
      if (intake === 'keep') kept.push(transaction);
      else if (intake === 'land' && accept(transaction)) changed();
    },
    landNow(transaction) {
      if (!accept(transaction)) return null;
      changed();
      return bySignature.get(transaction.signature) ?? null;
    },
    found: (one) => machine.put(one.address, one),
    addProgram: machine.addProgram,
    onChange(call) {
      listeners.add(call);
      return () => void listeners.delete(call);
    },
    advance(count) {
      slots.advance(count);
      changed();
    },
    hold(at) {
      slots.hold(at);
      changed();
    },
    finalize() {
      slots.hold(null);
      slots.advance(FINAL_AFTER);
      changed();
    },
    expireBlockhashes() {
      // Not even the newest final block, which is the last to notice, takes one of them.
      slots.advance(BLOCKHASH_LIFE + FINAL_AFTER + 1);
      changed();
    },
    drop,
    intake: (way) => void (intake = way),
    landKept() {
      const count = kept.splice(0).filter(accept).length;
      changed();
      return count;
    },
    misreportHeight(by) {
      if (!Number.isSafeInteger(by)) throw new RangeError(`a height is off by a whole number, not ${by}`);
      heightError = by;
    },
  };
}

/** An account for the chain's first block. */
export function accountOf(at: Address, owner: Address, data: Uint8Array, lamports: bigint): EncodedAccount {
  return { address: at, programAddress: owner, data, lamports: amountOf(lamports), executable: false, space: BigInt(data.length) };
}
