/** Virtual machine of the chain: runs one transaction and reports its effects. */
import {
  type Address,
  address,
  type EncodedAccount,
  getAddressDecoder,
  getBase58Decoder,
  lamports as lamportsOf,
  type MaybeEncodedAccount,
  type Transaction,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM, SimulatedTransactionInfo, type TransactionMetadata, Clock as VmClock } from 'litesvm';
import type { ProgramInstruction } from '../../domain/launch/curve/program.ts';
import { compileMessage } from '../../domain/solana/compile-message.ts';
import { readLookupTable, readTokenAccount, type TokenAccount } from '../../domain/solana/token-layout.ts';
import { asStandardPrograms, STABLE_DECIMALS } from './burn-program.ts';
import { errorName, type TransactionError } from './transaction-error.ts';
import { COMPUTE_BUDGET, LOOKUP_TABLES, TOKEN, TOKEN_2022 } from './instructions.ts';
import { sandboxKey } from './keys.ts';
import { SLOTS_PER_EPOCH } from './slot-clock.ts';
import { isWritable, type ReadTransaction } from './decode-transaction.ts';

interface InnerInstruction {
  readonly programIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
  readonly stackHeight: number;
}

/** Token account of a transaction, with its index among the transaction's accounts. */
export interface TokenBalance extends Pick<TokenAccount, 'mint' | 'owner' | 'amount'> {
  readonly index: number;
  readonly program: Address;
}

/** Balances of a transaction's accounts at one moment. */
export interface Balances {
  readonly lamports: readonly bigint[];
  readonly tokens: readonly TokenBalance[];
}

/** Accounts of a transaction with tables resolved: static keys, then writable, then readonly addresses of the tables. */
interface NamedAccounts {
  readonly keys: readonly Address[];
  readonly writable: readonly boolean[];
  readonly loaded: { readonly writable: readonly Address[]; readonly readonly: readonly Address[] };
}

export interface Run extends NamedAccounts {
  readonly error: TransactionError | null;
  /** False if the transaction failed before execution, so that no block would contain it. */
  readonly begun: boolean;
  readonly logs: readonly string[];
  readonly units: bigint;
  readonly fee: bigint;
  readonly inner: readonly (readonly InnerInstruction[])[];
  readonly returnData: { readonly program: Address; readonly data: Uint8Array } | null;
  readonly before: Balances;
  readonly after: Balances;
  /** Writable accounts before and after, by address; null if an account does not exist. */
  readonly undo: Map<Address, EncodedAccount | null>;
  readonly outcome: Map<Address, EncodedAccount | null>;
}

/** Chain state while the machine runs a transaction. */
export interface Moment {
  readonly slot: number;
  readonly unixSeconds: number;
  /** Returns the hash of a slot's block. The creator of a lookup table names a recent one. */
  readonly hashOf: (slot: number) => string;
}

export interface Machine {
  account(at: Address): EncodedAccount | null;
  /** Sets the clock that programs and readers see. */
  set(moment: Moment): void;
  owned(program: Address): EncodedAccount[];
  /** Writes an account unchanged; null removes it. */
  put(at: Address, account: EncodedAccount | null): void;
  run(transaction: ReadTransaction, moment: Moment): Run;
  /** Simulates a run without keeping its effects or checking signatures. */
  rehearse(transaction: ReadTransaction, moment: Moment): Run;
  /** Runs one instruction without checking signers, as a call from another program. No fee is charged. */
  perform(instruction: ProgramInstruction, moment: Moment): Pick<Run, 'error' | 'logs' | 'units'>;
  /** Returns the accounts of a transaction, or an error if a lookup table is invalid. */
  named(transaction: ReadTransaction): NamedAccounts | TransactionError;
  balances(keys: readonly Address[]): Balances;
  addProgram(at: Address, elf: Uint8Array): void;
  rent(bytes: number): bigint;
}

/** Number of slots that programs can see back. */
const RECENT_SLOTS = 512;
const LAMPORTS_PER_SIGNATURE = 5_000n;
const MOST_KNOWN = 50_000;
const SYSTEM_ACCOUNT = address('11111111111111111111111111111111');
/** Fee payer of called instructions. The sandbox never signs with its key. */
const CONDUCTOR = sandboxKey('conductor').address;

/** Creates an account that holds only lamports. */
function plainAccount(at: Address, lamports: bigint): EncodedAccount {
  return {
    address: at,
    lamports: lamportsOf(lamports),
    data: new Uint8Array(),
    programAddress: SYSTEM_ACCOUNT,
    executable: false,
    space: 0n,
  };
}

/**
 * Caches the machine's accounts, because decoding addresses takes longer than running programs. Writing to an account drops it from the
 * cache.
 */
function createAccounts(svm: Pick<LiteSVM, 'getAccount' | 'setAccount'>) {
  const known = new Map<Address, EncodedAccount | null>();

  function account(at: Address): EncodedAccount | null {
    const before = known.get(at);
    if (before !== undefined) return before;
    const read: MaybeEncodedAccount = svm.getAccount(at);
    const found = read.exists ? (read as EncodedAccount) : null;
    if (known.size >= MOST_KNOWN) known.clear();
    // The clock's account changes with every moment.
    if (!at.startsWith('Sysvar')) known.set(at, found);
    return found;
  }

  function put(at: Address, value: EncodedAccount | null): void {
    known.delete(at);
    svm.setAccount(value ?? plainAccount(at, 0n));
  }

  function forget(written: Iterable<Address>): void {
    for (const at of written) known.delete(at);
  }

  return { account, put, forget };
}

/** Creates the machine, which checks signatures and runs programs. The chain checks blockhashes and duplicates. */
export function createMachine(): Machine {
  const svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n).withNativeMints();

  const accounts = createAccounts(svm);
  const { account, put } = accounts;

  function set({ slot, unixSeconds }: Moment): void {
    const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH));
    svm.setClock(new VmClock(BigInt(slot), BigInt(unixSeconds), epoch, epoch + 1n, BigInt(unixSeconds)));
  }

  function setRecentSlots({ slot, hashOf }: Moment): void {
    svm.setSlotHashes(Array.from({ length: RECENT_SLOTS }, (_, back) => ({ slot: BigInt(slot - back), hash: hashOf(slot - back) })));
  }

  /** Runs a transaction. `keep` is true if its effects stay. */
  function carryOut(transaction: ReadTransaction, moment: Moment, keep: boolean): Run {
    set(moment);
    if (transaction.staticKeys.includes(LOOKUP_TABLES)) setRecentSlots(moment);
    const names = namedBy(transaction, account);
    if (!isNamed(names)) {
      const known = { keys: transaction.staticKeys, writable: [], loaded: { writable: [], readonly: [] } };
      return refused(known, names, balances(transaction.staticKeys, account));
    }
    const { keys, writable } = names;
    const undo: Accounts = new Map(keys.flatMap((key, index) => (writable[index] ? [[key, account(key)]] : [])));
    const before = balances(keys, account);
    const given = asStandardPrograms(transaction, STABLE_DECIMALS);
    // A replaced instruction is not the signed one. The chain has already checked the signatures.
    svm.withSigverify(keep && given === transaction.transaction);
    if (keep) accounts.forget(undo.keys());
    const { error, told, shown } = keep ? toOutcome(svm.sendTransaction(given), undo) : toOutcome(svm.simulateTransaction(given), undo);
    const outcome = keep ? new Map([...undo.keys()].map((key) => [key, account(key)])) : shown;
    const after = balances(keys, (key) => (outcome.has(key) ? (outcome.get(key) ?? null) : account(key)));
    const gone = sum(before.lamports) - sum(after.lamports);
    // The sender pays only after execution begins; an earlier failure is in no block. A simulation charges no fee for a failure.
    if (error !== null && gone === 0n && (keep || typeof error === 'string')) return refused(names, error, before);
    return {
      ...names,
      ...accountFor(told),
      error,
      begun: true,
      fee: gone > 0n ? gone : computeFee(transaction),
      before,
      after,
      undo,
      outcome,
    };
  }

  /** Runs an instruction with a fee payer that is funded before and emptied afterwards. */
  function perform(instruction: ProgramInstruction, moment: Moment): Pick<Run, 'error' | 'logs' | 'units'> {
    set(moment);
    const signers = [CONDUCTOR, ...new Set(instruction.accounts.filter(({ signer }) => signer).map(({ address: at }) => at))];
    const purse = BigInt(signers.length) * LAMPORTS_PER_SIGNATURE + svm.minimumBalanceForRentExemption(0n);
    put(CONDUCTOR, plainAccount(CONDUCTOR, purse));
    const messageBytes = compileMessage(CONDUCTOR, SYSTEM_ACCOUNT, [instruction]);
    const signatures = Object.fromEntries(signers.map((signer) => [signer, null]));
    svm.withSigverify(false);
    accounts.forget(instruction.accounts.map(({ address: at }) => at as Address));
    const { error, told } = toOutcome(svm.sendTransaction({ messageBytes, signatures } as unknown as Transaction), new Map());
    put(CONDUCTOR, null);
    return { error, logs: told.logs(), units: told.computeUnitsConsumed() };
  }

  return {
    account,
    perform,
    named: (transaction) => namedBy(transaction, account),
    balances: (keys) => balances(keys, account),
    set,
    owned: (program) => svm.getProgramAccounts(program),
    put,
    run: (transaction, moment) => carryOut(transaction, moment, true),
    rehearse: (transaction, moment) => carryOut(transaction, moment, false),
    addProgram(at, elf) {
      accounts.forget([at]);
      svm.addProgram(at, elf);
    },
    rent: (bytes) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
  };
}

/** Returns the static keys and the tables' addresses, or an error if a lookup table is invalid. */
function namedBy(transaction: ReadTransaction, account: (at: Address) => EncodedAccount | null): NamedAccounts | TransactionError {
  const writable: Address[] = [];
  const readonly: Address[] = [];
  for (const lookup of transaction.lookups) {
    const table = account(lookup.table);
    if (table === null) return 'AddressLookupTableNotFound';
    if (table.programAddress !== LOOKUP_TABLES) return 'InvalidAddressLookupTableOwner';
    const addresses = readLookupTable(table.data as Uint8Array);
    if (addresses === null) return 'InvalidAddressLookupTableData';
    const wanted = [...lookup.writable, ...lookup.readonly];
    if (wanted.some((place) => place >= addresses.length)) return 'InvalidAddressLookupTableIndex';
    writable.push(...lookup.writable.map((place) => address(addresses[place] as string)));
    readonly.push(...lookup.readonly.map((place) => address(addresses[place] as string)));
  }
  const { staticKeys } = transaction;
  return {
    keys: [...staticKeys, ...writable, ...readonly],
    writable: [...staticKeys.map((_, index) => isWritable(transaction, index)), ...writable.map(() => true), ...readonly.map(() => false)],
    loaded: { writable, readonly },
  };
}

function balances(keys: readonly Address[], of: (at: Address) => EncodedAccount | null): Balances {
  const accounts = keys.map(of);
  const tokens = accounts.flatMap((one, index) => {
    if (one === null || (one.programAddress !== TOKEN && one.programAddress !== TOKEN_2022)) return [];
    const read = readTokenAccount(one.data as Uint8Array);
    return read === null ? [] : [{ index, program: one.programAddress, mint: read.mint, owner: read.owner, amount: read.amount }];
  });
  return { lamports: accounts.map((one) => one?.lamports ?? 0n), tokens };
}

/** Returns a run in which nothing was executed and every balance is unchanged. */
function refused(names: NamedAccounts, error: TransactionError, before: Balances): Run {
  const nothing = { logs: [], units: 0n, fee: 0n, inner: [], returnData: null, undo: new Map(), outcome: new Map() };
  return { ...names, ...nothing, error, begun: false, before, after: before };
}

type Accounts = Map<Address, EncodedAccount | null>;

export function isNamed(names: NamedAccounts | TransactionError): names is NamedAccounts {
  return typeof names === 'object' && 'keys' in names;
}

/** Returns the machine's result: its error, its report, and the accounts that a simulation would leave. */
function toOutcome(
  result: TransactionMetadata | FailedTransactionMetadata | SimulatedTransactionInfo,
  undo: Accounts,
): { readonly error: TransactionError | null; readonly told: TransactionMetadata; readonly shown: Accounts } {
  const shown: Accounts = new Map(undo);
  if (result instanceof FailedTransactionMetadata) return { error: errorName(result.err()), told: result.meta(), shown };
  if (!(result instanceof SimulatedTransactionInfo)) return { error: null, told: result, shown };
  for (const post of result.postAccounts()) if (shown.has(post.address)) shown.set(post.address, post.lamports === 0n ? null : post);
  return { error: null, told: result.meta(), shown };
}

function accountFor(told: TransactionMetadata): Pick<Run, 'logs' | 'units' | 'inner' | 'returnData'> {
  return {
    logs: told.logs(),
    units: told.computeUnitsConsumed(),
    inner: told.innerInstructions().map((list) =>
      list.map((one) => {
        const inside = one.instruction();
        return {
          programIndex: inside.programIdIndex(),
          accounts: [...inside.accounts()],
          data: inside.data(),
          stackHeight: one.stackHeight(),
        };
      }),
    ),
    returnData: returned(told),
  };
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

function returned(told: TransactionMetadata): Run['returnData'] {
  const data = told.returnData();
  const bytes = data.data();
  return bytes.length === 0 ? null : { program: getAddressDecoder().decode(data.programId()), data: bytes };
}

/** Returns the fee of a message: 5,000 lamports per signature, and the price of its compute budget. */
export function computeFee({ header, staticKeys, instructions }: Pick<ReadTransaction, 'header' | 'staticKeys' | 'instructions'>): bigint {
  let price = 0n;
  let limit: bigint | null = null;
  let others = 0n;
  for (const { programIndex, data } of instructions) {
    const bytes = Buffer.from(data);
    if (staticKeys[programIndex] !== COMPUTE_BUDGET) others += 1n;
    else if (bytes[0] === 2 && bytes.length >= 5) limit = BigInt(bytes.readUInt32LE(1));
    else if (bytes[0] === 3 && bytes.length >= 9) price = bytes.readBigUInt64LE(1);
  }
  const units = limit ?? others * 200_000n;
  const most = units > 1_400_000n ? 1_400_000n : units;
  return BigInt(header.signers) * LAMPORTS_PER_SIGNATURE + (price * most + 999_999n) / 1_000_000n;
}

/** Returns a memo as `getSignaturesForAddress` prints it: `[5] hello`, or null. */
export function readMemo({ staticKeys, instructions }: Pick<ReadTransaction, 'staticKeys' | 'instructions'>): string | null {
  const memos = instructions.filter(({ programIndex }) => (staticKeys[programIndex] ?? '').startsWith('Memo'));
  if (memos.length === 0) return null;
  return memos.map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`).join('; ');
}

export function base58Text(bytes: Uint8Array): string {
  return getBase58Decoder().decode(bytes);
}
