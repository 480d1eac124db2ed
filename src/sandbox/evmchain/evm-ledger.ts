/**
 * State of the sandbox's EVM chain. Signed transactions land in blocks, move tokens and leave receipts. Finality follows, forks can drop
 * a transaction, and the node can lose or hold back a submitted one.
 */
import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  erc20Abi,
  getAddress,
  type Hex,
  hexToBytes,
  keccak256,
  parseAbi,
  parseTransaction,
  serializeTransaction,
} from 'viem';
import { publicKeyToAddress } from 'viem/accounts';

/** Call of a wallet's transaction. Addresses are lower case. */
interface LedgerCall {
  readonly from: string;
  readonly to: string | null;
  readonly data: Hex;
  readonly value: bigint;
}

interface LedgerLog {
  readonly address: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

export interface LandedEvm extends LedgerCall {
  readonly hash: Hex;
  readonly nonce: number;
  readonly type: string;
  readonly block: number;
  readonly status: 'success' | 'reverted';
  readonly logs: readonly LedgerLog[];
}

/** Treatment of a submitted transaction: it lands at once, it is lost, or it lands on command. */
export type EvmIntake = 'land' | 'lose' | 'keep';

export interface LedgerToken {
  readonly symbol: string;
  readonly contract: string;
  readonly decimals: number;
}

interface EvmLedgerOptions {
  readonly chainId: number;
  readonly tokens: readonly LedgerToken[];
  /** Returns the newest block number. */
  readonly newest: () => number;
  /** Returns the initial balance of an address, in base units. A null `contract` means the chain's native coin. */
  readonly opening: (address: string, contract: string | null) => bigint;
  /** Returns the initial nonce of an address. */
  readonly openingNonce: (address: string) => number;
  /** Blocks after which a block is final. Default 40. */
  readonly finalAfter?: number;
}

export interface EvmLedger {
  newest(): number;
  final(): number;
  balance(address: string, contract: string | null): bigint;
  allowance(owner: string, spender: string, contract: string): bigint;
  nonce(address: string, finalOnly?: boolean): number;
  setBalance(address: string, contract: string | null, balance: bigint): void;
  setNonce(address: string, nonce: number): void;
  /**
   * Submits signed bytes and returns their hash.
   * @throws LedgerRefusal with a node's error message
   */
  submit(raw: Hex): Hex;
  /**
   * Returns the current result of a call.
   * @throws LedgerRevert if the call reverts
   */
  call(call: LedgerCall): Hex;
  landed(hash: string): LandedEvm | null;
  /** Returns the hash of a block on the current fork. */
  blockHash(number: number): Hex;
  /** Lists all landed transactions, oldest first. */
  history(): readonly LandedEvm[];
  /** Lands a payment that the sandbox mints, and returns its hash. */
  pay(from: string, to: string, contract: string, amount: bigint): Hex;
  /** Lands a failing transaction of the sandbox, and returns its hash. */
  payBadly(from: string, contract: string): Hex;
  /** Drops a transaction by a fork. False if the transaction is final or unknown. */
  drop(hash: string): boolean;
  intake(way: EvmIntake): void;
  /** Lands the transactions that were held back, and returns their number. */
  landKept(): number;
  /** Holds finality at the current block, or lets it continue. */
  holdFinality(held: boolean): void;
}

/** Refusal of a transaction by the node. */
export class LedgerRefusal extends Error {}
/** Revert of a contract call. */
export class LedgerRevert extends Error {}

const MESSENGER_ABI = parseAbi([
  'function depositForBurnWithHook(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold, bytes hookData)',
  'event DepositForBurn(address indexed burnToken, uint256 amount, address indexed depositor, bytes32 mintRecipient, uint32 destinationDomain, bytes32 destinationTokenMessenger, bytes32 destinationCaller, uint256 maxFee, uint32 indexed minFinalityThreshold, bytes hookData)',
]);
const DEPOSITORY_ABI = parseAbi([
  'function depositErc20(address depositor, address token, uint256 amount, bytes32 id)',
  'event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)',
]);
export const SANDBOX_MESSENGER = '0x28b5a0e9c621a5badaa536219b3a228c8168cf5d';
export const SANDBOX_DEPOSITORY = '0x4cd00e387622c35bddb9b4c962c136462338bc31';
const NOBODY = `0x${'0'.repeat(40)}`;
const ZERO_WORD: Hex = `0x${'0'.repeat(64)}`;

interface Change {
  readonly key: string;
  readonly before: bigint | undefined;
}

interface Entry {
  landed: LandedEvm;
  readonly changes: readonly Change[];
}

/** Balances, allowances and transaction counts of accounts. */
interface Accounts {
  readonly tokens: ReadonlyMap<string, LedgerToken>;
  readonly amounts: Map<string, bigint>;
  balance(address: string, contract: string | null): bigint;
  allowance(owner: string, spender: string, contract: string): bigint;
}

type Execution = ReturnType<typeof execution>;

const balanceKey = (address: string, contract: string | null): string => `b ${address.toLowerCase()} ${contract?.toLowerCase() ?? ''}`;
const allowanceKey = (owner: string, spender: string, contract: string): string =>
  `a ${owner.toLowerCase()} ${spender.toLowerCase()} ${contract.toLowerCase()}`;
const nonceKey = (address: string): string => `n ${address.toLowerCase()}`;

export function createEvmLedger(options: EvmLedgerOptions): EvmLedger {
  return new AccountLedger(options);
}

class AccountLedger implements EvmLedger {
  readonly #options: EvmLedgerOptions;
  readonly #chainId;
  readonly #opening;
  readonly #openingNonce;
  readonly #finalAfter;
  readonly #tokens;
  readonly #amounts = new Map<string, bigint>();
  #entries: Entry[] = [];
  readonly #byHash = new Map<string, Entry>();
  readonly #kept: { readonly hash: Hex; readonly call: LedgerCall & { readonly nonce: number; readonly type: string } }[] = [];
  readonly #forks = new Map<number, number>();
  #intake: EvmIntake = 'land';
  #heldFinal: number | null = null;
  #sandboxCount = 0;

  readonly #accounts: Accounts;

  constructor(options: EvmLedgerOptions) {
    this.#options = options;
    const { chainId, opening, openingNonce, finalAfter = 40 } = options;
    this.#chainId = chainId;
    this.#opening = opening;
    this.#openingNonce = openingNonce;
    this.#finalAfter = finalAfter;
    this.#tokens = new Map(options.tokens.map((token) => [token.contract.toLowerCase(), token]));
    this.#accounts = {
      tokens: this.#tokens,
      amounts: this.#amounts,
      balance: (address, contract) => this.balance(address, contract),
      allowance: (owner, spender, contract) => this.allowance(owner, spender, contract),
    };
  }

  nonce(address: string, finalOnly: boolean = false): number {
    if (!finalOnly) return this.#nonceNow(address);
    const own = this.#entries.filter(({ landed }) => landed.from === address.toLowerCase() && landed.block > this.final());
    return this.#nonceNow(address) - own.length;
  }

  setBalance(address: string, contract: string | null, value: bigint): void {
    return void this.#amounts.set(balanceKey(address, contract), value);
  }

  setNonce(address: string, nonce: number): void {
    return void this.#amounts.set(nonceKey(address), BigInt(nonce));
  }

  submit(raw: Hex): Hex {
    const call = readSigned(raw, this.#chainId);
    const hash = keccak256(raw);
    if (this.#byHash.has(hash) || this.#kept.some((one) => one.hash === hash)) throw new LedgerRefusal('already known');
    const next = this.#nonceNow(call.from);
    if (call.nonce < next) throw new LedgerRefusal(`nonce too low: next nonce ${next}, tx nonce ${call.nonce}`);
    if (this.#intake === 'keep' || call.nonce > next) this.#kept.push({ hash, call });
    else if (this.#intake === 'land') this.#accept(hash, call);
    return hash;
  }

  call(call: LedgerCall): Hex {
    const run = execution(this.#accounts);
    try {
      return carryOut(this.#accounts, run, { ...call, from: call.from.toLowerCase() });
    } finally {
      undo(this.#accounts, run.changes);
    }
  }

  landed(hash: string): LandedEvm | null {
    return this.#byHash.get(hash)?.landed ?? null;
  }

  blockHash(number: number): Hex {
    return `0x${createHash('sha256')
      .update(`block ${number} ${this.#forks.get(number) ?? 0}`)
      .digest('hex')}`;
  }

  history(): readonly LandedEvm[] {
    return this.#entries.map(({ landed }) => landed);
  }

  pay(from: string, to: string, contract: string, amount: bigint): Hex {
    return this.#sandboxCall(
      from.toLowerCase(),
      contract,
      (run) => move(this.#accounts, run, contract, NOBODY, to.toLowerCase(), amount),
      'success',
    );
  }

  payBadly(from: string, contract: string): Hex {
    return this.#sandboxCall(from.toLowerCase(), contract, () => {}, 'reverted');
  }

  drop(hash: string): boolean {
    const at = this.#entries.findIndex(({ landed }) => landed.hash === hash);
    const dropped = this.#entries[at];
    if (dropped === undefined || dropped.landed.block <= this.final()) return false;
    const later = this.#entries.slice(at);
    for (const entry of [...later].reverse()) {
      undo(this.#accounts, entry.changes);
      this.#byHash.delete(entry.landed.hash);
    }
    this.#entries = this.#entries.slice(0, at);
    for (let block = dropped.landed.block; block <= this.newest(); block++) this.#forks.set(block, (this.#forks.get(block) ?? 0) + 1);
    for (const { landed, changes } of later.slice(1)) {
      if (landed.data === '0x' && landed.status === 'success') this.#restore(landed, changes);
      else this.#land(landed.hash, landed, landed.block);
    }
    return true;
  }

  intake(way: EvmIntake): void {
    return void (this.#intake = way);
  }

  landKept(): number {
    const waiting = this.#kept.splice(0);
    waiting.sort((a, b) => a.call.nonce - b.call.nonce);
    let count = 0;
    for (const one of waiting) {
      if (this.#accept(one.hash, one.call)) count++;
      else if (one.call.nonce > this.#nonceNow(one.call.from)) this.#kept.push(one);
    }
    return count;
  }

  holdFinality(held: boolean): void {
    return void (this.#heldFinal = held ? this.final() : null);
  }

  /** Puts a call into a block. A reverted call uses only its nonce. */
  #land(hash: Hex, call: LedgerCall & { readonly nonce: number; readonly type: string }, block: number): void {
    const run = execution(this.#accounts);
    let status: LandedEvm['status'] = 'success';
    try {
      carryOut(this.#accounts, run, call);
    } catch (error) {
      if (!(error instanceof LedgerRevert)) throw error;
      undo(this.#accounts, run.changes);
      run.changes.length = 0;
      run.logs.length = 0;
      status = 'reverted';
    }
    run.write(nonceKey(call.from), BigInt(call.nonce + 1));
    const entry = { landed: { ...call, hash, block, status, logs: run.logs }, changes: run.changes };
    this.#entries.push(entry);
    this.#byHash.set(hash, entry);
  }

  #sandboxCall(from: string, contract: string, act: (run: Execution) => void, status: LandedEvm['status']): Hex {
    const run = execution(this.#accounts);
    act(run);
    // Includes the block: the counter begins again after a restart, and hashes must stay unique.
    const hash: Hex = `0x${createHash('sha256')
      .update(`sandbox ${this.#chainId} ${this.newest()} ${++this.#sandboxCount}`)
      .digest('hex')}`;
    const landed: LandedEvm = {
      hash,
      from,
      to: contract.toLowerCase(),
      data: '0x',
      value: 0n,
      nonce: this.#sandboxCount,
      type: 'eip1559',
      block: this.newest(),
      status,
      logs: run.logs,
    };
    const entry = { landed, changes: run.changes };
    this.#entries.push(entry);
    this.#byHash.set(hash, entry);
    return hash;
  }

  #accept(hash: Hex, call: LedgerCall & { readonly nonce: number; readonly type: string }): boolean {
    if (this.#byHash.has(hash) || this.#nonceNow(call.from) !== call.nonce) return false;
    this.#land(hash, call, this.newest());
    return true;
  }

  /** Repeats a sandbox payment that followed a dropped transaction. */
  #restore(landed: LandedEvm, changes: readonly Change[]): void {
    const run = execution(this.#accounts);
    for (const { key } of changes) if (key.startsWith('b ')) run.write(key, this.#amounts.get(key) ?? 0n);
    const entry = { landed, changes: run.changes };
    for (const log of landed.logs) {
      const to = `0x${(log.topics[2] ?? ZERO_WORD).slice(26)}`;
      run.write(balanceKey(to, log.address), this.balance(to, log.address) + BigInt(log.data));
    }
    this.#entries.push(entry);
    this.#byHash.set(landed.hash, entry);
  }

  newest(): number {
    return this.#options.newest();
  }

  final(): number {
    return Math.min(this.#heldFinal ?? Number.POSITIVE_INFINITY, this.newest() - this.#finalAfter);
  }

  balance(address: string, contract: string | null): bigint {
    return this.#amounts.get(balanceKey(address, contract)) ?? this.#opening(address.toLowerCase(), contract?.toLowerCase() ?? null);
  }

  allowance(owner: string, spender: string, contract: string): bigint {
    return this.#amounts.get(allowanceKey(owner, spender, contract)) ?? 0n;
  }

  #nonceNow(address: string): number {
    return Number(this.#amounts.get(nonceKey(address)) ?? BigInt(this.#openingNonce(address.toLowerCase())));
  }
}

/** Creates one execution. Its writes can be undone; its logs are kept if it succeeds. */
function execution(accounts: Accounts) {
  const { amounts } = accounts;
  const changes: Change[] = [];
  const logs: LedgerLog[] = [];
  const write = (key: string, value: bigint): void => {
    changes.push({ key, before: amounts.get(key) });
    amounts.set(key, value);
  };
  return { changes, logs, write };
}

function undo(accounts: Accounts, changes: readonly Change[]): void {
  const { amounts } = accounts;
  for (const { key, before } of [...changes].reverse()) {
    if (before === undefined) amounts.delete(key);
    else amounts.set(key, before);
  }
}

function move(accounts: Accounts, run: Execution, contract: string, from: string, to: string, amount: bigint): void {
  const { balance } = accounts;
  if (from !== NOBODY) {
    const held = balance(from, contract);
    if (held < amount) throw new LedgerRevert('ERC20: transfer amount exceeds balance');
    run.write(balanceKey(from, contract), held - amount);
  }
  if (to !== NOBODY) run.write(balanceKey(to, contract), balance(to, contract) + amount);
  const topics = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from: getAddress(from), to: getAddress(to) } });
  run.logs.push({ address: contract.toLowerCase(), topics: topics as Hex[], data: encodeAbiParameters([{ type: 'uint256' }], [amount]) });
}

function spend(accounts: Accounts, run: Execution, contract: string, owner: string, spender: string, amount: bigint): void {
  const { allowance } = accounts;
  const allowed = allowance(owner, spender, contract);
  if (allowed < amount) throw new LedgerRevert('ERC20: transfer amount exceeds allowance');
  run.write(allowanceKey(owner, spender, contract), allowed - amount);
}

function tokenCall(accounts: Accounts, run: Execution, contract: string, { from, data }: LedgerCall): Hex {
  const { functionName, args } = decoded(() => decodeFunctionData({ abi: erc20Abi, data }));
  const answer = (result: boolean): Hex => encodeFunctionResult({ abi: erc20Abi, functionName: 'approve', result });
  if (functionName === 'transfer') move(accounts, run, contract, from, args[0].toLowerCase(), args[1]);
  else if (functionName === 'approve') run.write(allowanceKey(from, args[0], contract), args[1]);
  else if (functionName === 'transferFrom') {
    spend(accounts, run, contract, args[0], from, args[2]);
    move(accounts, run, contract, args[0].toLowerCase(), args[1].toLowerCase(), args[2]);
  } else throw new LedgerRevert('not a call that changes anything');
  return answer(true);
}

function burn(accounts: Accounts, run: Execution, { from, data }: LedgerCall): Hex {
  const { tokens } = accounts;
  const { args } = decoded(() => decodeFunctionData({ abi: MESSENGER_ABI, data }));
  const [amount, destinationDomain, mintRecipient, burnToken, destinationCaller, maxFee, minFinalityThreshold, hookData] = args;
  if (!tokens.has(burnToken.toLowerCase())) throw new LedgerRevert('Burn token not supported');
  if (amount === 0n) throw new LedgerRevert('Amount must be nonzero');
  if (maxFee >= amount) throw new LedgerRevert('Max fee must be less than amount');
  if (mintRecipient === ZERO_WORD) throw new LedgerRevert('Mint recipient must be nonzero');
  spend(accounts, run, burnToken, from, SANDBOX_MESSENGER, amount);
  move(accounts, run, burnToken, from, NOBODY, amount);
  const topics = encodeEventTopics({
    abi: MESSENGER_ABI,
    eventName: 'DepositForBurn',
    args: { burnToken, depositor: getAddress(from), minFinalityThreshold },
  });
  const words = [amount, mintRecipient, destinationDomain, ZERO_WORD, destinationCaller, maxFee, hookData] as const;
  const types = ['uint256', 'bytes32', 'uint32', 'bytes32', 'bytes32', 'uint256', 'bytes'].map((type) => ({ type }));
  run.logs.push({ address: SANDBOX_MESSENGER, topics: topics as Hex[], data: encodeAbiParameters(types, words) });
  return '0x';
}

function deposit(accounts: Accounts, run: Execution, { from, data }: LedgerCall): Hex {
  const { tokens } = accounts;
  const { args } = decoded(() => decodeFunctionData({ abi: DEPOSITORY_ABI, data }));
  const [depositor, token, amount, id] = args;
  if (!tokens.has(token.toLowerCase())) throw new LedgerRevert('TransferFromFailed');
  spend(accounts, run, token, from, SANDBOX_DEPOSITORY, amount);
  move(accounts, run, token, from, SANDBOX_DEPOSITORY, amount);
  const topics = encodeEventTopics({ abi: DEPOSITORY_ABI, eventName: 'RelayErc20Deposit' });
  const types = ['address', 'address', 'uint256', 'bytes32'].map((type) => ({ type }));
  run.logs.push({
    address: SANDBOX_DEPOSITORY,
    topics: topics as Hex[],
    data: encodeAbiParameters(types, [depositor, token, amount, id]),
  });
  return '0x';
}

function carryOut(accounts: Accounts, run: Execution, call: LedgerCall): Hex {
  const { tokens, balance } = accounts;
  const to = call.to?.toLowerCase() ?? null;
  if (call.value > 0n) {
    const held = balance(call.from, null);
    if (held < call.value || to === null) throw new LedgerRevert('insufficient balance for transfer');
    run.write(balanceKey(call.from, null), held - call.value);
    run.write(balanceKey(to, null), balance(to, null) + call.value);
  }
  if (to !== null && tokens.has(to)) return tokenCall(accounts, run, to, call);
  if (to === SANDBOX_MESSENGER) return burn(accounts, run, call);
  if (to === SANDBOX_DEPOSITORY) return deposit(accounts, run, call);
  return '0x';
}

function decoded<Value>(read: () => Value): Value {
  try {
    return read();
  } catch {
    throw new LedgerRevert('function selector was not recognized');
  }
}

/**
 * Parses signed bytes and recovers the signer.
 * @throws LedgerRefusal if they are invalid
 */
function readSigned(raw: Hex, chainId: number): LedgerCall & { readonly nonce: number; readonly type: string } {
  try {
    const { r, s, v, yParity, ...transaction } = parseTransaction(raw) as ReturnType<typeof parseTransaction> & {
      r: Hex;
      s: Hex;
      v?: bigint;
      yParity?: number;
    };
    if (transaction.chainId !== chainId)
      throw new LedgerRefusal(`invalid chain id for signer: have ${transaction.chainId} want ${chainId}`);
    const digest = keccak256(serializeTransaction(transaction));
    const recovery = yParity ?? Number(((v ?? 27n) + 1n) % 2n);
    const key = new secp256k1.Signature(BigInt(r), BigInt(s)).addRecoveryBit(recovery).recoverPublicKey(hexToBytes(digest));
    const from = publicKeyToAddress(`0x${key.toHex(false)}`).toLowerCase();
    return {
      from,
      to: transaction.to?.toLowerCase() ?? null,
      data: transaction.data ?? '0x',
      value: transaction.value ?? 0n,
      nonce: transaction.nonce ?? 0,
      type: transaction.type ?? 'legacy',
    };
  } catch (error) {
    if (error instanceof LedgerRefusal) throw error;
    throw new LedgerRefusal(`typed transaction too short or malformed: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}
