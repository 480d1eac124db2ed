/**
 * Machine that also runs programs without a binary: a model states what an instruction does to its accounts. Everything else (token
 * transfers, new accounts) is run by the machine's real programs.
 */
import { type Address, address, type EncodedAccount, type Instruction } from '@solana/kit';
import type { NamedAccount, ProgramInstruction } from '../../../domain/launch/curve/program.ts';
import type { TransactionError } from '../transaction-error.ts';
import { COMPUTE_BUDGET } from '../instructions.ts';
import { computeFee, isNamed, type Machine, type Moment, type Run } from '../machine.ts';
import { SLOTS_PER_EPOCH } from '../slot-clock.ts';
import { fullySigned, isWritable, type ReadTransaction } from '../decode-transaction.ts';

/** Failure of an instruction: the program's error number, or the runtime's error name. */
export class ProgramFailure extends Error {
  readonly reason: number | string;

  constructor(reason: number | string) {
    super(typeof reason === 'number' ? `custom program error: 0x${reason.toString(16)}` : reason);
    this.reason = reason;
  }
}

export interface ModelContext {
  readonly accounts: readonly Required<NamedAccount>[];
  readonly data: Uint8Array;
  readonly unixSeconds: bigint;
  readonly epoch: bigint;
  account(at: string): EncodedAccount | null;
  /** Replaces the data of an existing account. */
  write(at: string, data: Uint8Array): void;
  /** Calls other programs. Program-derived addresses need no signature. @throws ProgramFailure */
  invoke(...instructions: readonly ProgramInstruction[]): void;
  rent(bytes: number): bigint;
  log(line: string): void;
}

/** Runs one instruction. @throws ProgramFailure if the program would fail */
export type ProgramModel = (context: ModelContext) => void;

/** Compute units of a modelled instruction, about those of the real one. */
const MODEL_UNITS = 60_000n;

const key = (index: number, { header, staticKeys }: ReadTransaction): boolean => index < Math.min(header.signers, staticKeys.length);

/** Converts an instruction to the machine's format. */
export function kitInstruction({ program, accounts, data }: ProgramInstruction): Instruction {
  const named = accounts.map(({ address: at, signer, writable }) => ({
    address: address(at),
    role: (writable === true ? 1 : 0) + (signer === true ? 2 : 0),
  }));
  return { programAddress: address(program), accounts: named, data };
}

/** Logs and compute units of a run so far. */
interface Progress {
  readonly logs: string[];
  units: bigint;
}

/** Creates a machine that runs missing programs by models. A program that the machine has is never replaced. */
export function createModelledMachine(machine: Machine, models: ReadonlyMap<string, ProgramModel>): Machine {
  const findModel = (program: string | undefined): ProgramModel | undefined =>
    program === undefined || machine.account(address(program))?.executable === true ? undefined : models.get(program);
  const isModelled = (transaction: ReadTransaction): boolean =>
    transaction.instructions.some(({ programIndex }) => findModel(transaction.staticKeys[programIndex]) !== undefined);

  /** Runs one instruction by its model or by the machine. @throws ProgramFailure */
  function step(one: ProgramInstruction, moment: Moment, progress: Progress): void {
    // The compute budget was already charged with the fee.
    if (one.program === COMPUTE_BUDGET) return;
    const model = findModel(one.program);
    if (model === undefined) {
      perform(machine, one, moment, progress);
      return;
    }
    progress.units += MODEL_UNITS;
    progress.logs.push(`Program ${one.program} invoke [1]`);
    model({
      accounts: one.accounts.map(({ address: at, signer = false, writable = false }) => ({ address: at, signer, writable })),
      data: one.data,
      unixSeconds: BigInt(moment.unixSeconds),
      epoch: BigInt(Math.floor(moment.slot / SLOTS_PER_EPOCH)),
      account: (at) => machine.account(address(at)),
      write: (at, data) => {
        const was = machine.account(address(at));
        if (was === null) throw new ProgramFailure('UninitializedAccount');
        machine.put(was.address, { ...was, data, space: BigInt(data.length) });
      },
      invoke: (...instructions) => {
        for (const instruction of instructions) step(instruction, moment, progress);
      },
      rent: (bytes) => machine.rent(bytes),
      log: (line) => progress.logs.push(`Program log: ${line}`),
    });
    progress.logs.push(`Program ${one.program} success`);
  }

  function carryOut(transaction: ReadTransaction, moment: Moment, keep: boolean): Run {
    machine.set(moment);
    if (keep && !fullySigned(transaction)) return refused(machine, transaction, moment, 'SignatureFailure');
    const payer = transaction.staticKeys[0] as Address;
    const fee = computeFee(transaction);
    const purse = machine.account(payer);
    if (purse === null) return refused(machine, transaction, moment, 'AccountNotFound');
    if (purse.lamports < fee) return refused(machine, transaction, moment, 'InsufficientFundsForFee');
    const names = machine.named(transaction);
    if (!isNamed(names)) return machine.rehearse(transaction, moment);
    const before = machine.balances(names.keys);
    const undo = new Map(names.keys.flatMap((one, index) => (names.writable[index] ? [[one, machine.account(one)] as const] : [])));
    machine.put(payer, { ...purse, lamports: (purse.lamports - fee) as typeof purse.lamports });
    const paid = machine.account(payer);
    const progress: Progress = { logs: [], units: 0n };
    const error = runAll(transaction, names.keys, moment, progress);
    if (error !== null) restore(machine, new Map([...undo, [payer, paid]]));
    const outcome = new Map([...undo.keys()].map((one) => [one, machine.account(one)] as const));
    const after = machine.balances(names.keys);
    if (!keep) restore(machine, undo);
    return {
      ...names,
      ...progress,
      error,
      begun: true,
      fee,
      inner: transaction.instructions.map(() => []),
      returnData: null,
      before,
      after,
      undo,
      outcome,
    };
  }

  /** Runs all instructions. Returns the first error, or null. */
  function runAll(transaction: ReadTransaction, keys: readonly Address[], moment: Moment, progress: Progress): TransactionError | null {
    for (const [index, { programIndex, accounts, data }] of transaction.instructions.entries()) {
      const program = keys[programIndex] as string;
      const named = accounts.map((place) => ({
        address: keys[place] as string,
        signer: key(place, transaction),
        writable: place < transaction.staticKeys.length ? isWritable(transaction, place) : isLookedUpWritable(transaction, place),
      }));
      try {
        step({ program, accounts: named, data }, moment, progress);
      } catch (error) {
        if (!(error instanceof ProgramFailure)) throw error;
        progress.logs.push(`Program ${program} failed: ${error.message}`);
        const reason = typeof error.reason === 'number' ? { Custom: error.reason } : error.reason;
        return { InstructionError: [index, reason] } as TransactionError;
      }
    }
    return null;
  }

  return {
    ...machine,
    run: (transaction, moment) => (isModelled(transaction) ? carryOut(transaction, moment, true) : machine.run(transaction, moment)),
    rehearse: (transaction, moment) =>
      isModelled(transaction) ? carryOut(transaction, moment, false) : machine.rehearse(transaction, moment),
  };
}

/** Returns a run in which nothing was executed and every balance is unchanged. */
function refused(machine: Machine, transaction: ReadTransaction, moment: Moment, error: TransactionError): Run {
  const run = machine.rehearse(transaction, moment);
  const nothing = { logs: [], units: 0n, fee: 0n, inner: [], returnData: null, undo: new Map(), outcome: new Map() };
  return { ...run, ...nothing, error, begun: false, after: run.before };
}

/** Runs an instruction on the machine itself. @throws ProgramFailure */
function perform(machine: Machine, instruction: ProgramInstruction, moment: Moment, progress: Progress): void {
  const done = machine.perform(instruction, moment);
  progress.logs.push(...done.logs);
  progress.units += done.units;
  if (done.error !== null) throw new ProgramFailure(instructionError(done.error));
}

/** Restores accounts to their earlier state. */
function restore(machine: Machine, accounts: ReadonlyMap<Address, EncodedAccount | null>): void {
  for (const [at, account] of accounts) machine.put(at, account);
}

function isLookedUpWritable({ staticKeys, lookups }: ReadTransaction, place: number): boolean {
  const writable = lookups.reduce((sum, lookup) => sum + lookup.writable.length, 0);
  return place < staticKeys.length + writable;
}

/** Returns the instruction's error from a transaction's error. */
function instructionError(error: TransactionError): number | string {
  if (typeof error === 'string') return error;
  const inner = (error as { readonly InstructionError?: readonly [number, unknown] }).InstructionError?.[1];
  if (typeof inner === 'string') return inner;
  const custom = (inner as { readonly Custom?: number } | undefined)?.Custom;
  return custom ?? 'GenericError';
}
