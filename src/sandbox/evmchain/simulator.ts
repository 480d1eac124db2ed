/** Simulator of an EVM node's JSON-RPC endpoint: blocks by the clock, balances derived from the address, calls to a few tokens. */
import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionResult,
  erc20Abi,
  getAddress,
  type Hex,
  hexToBytes,
  multicall3Abi,
  parseAbi,
} from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../loopback.ts';
import { createEvmLedger, type EvmLedger, type LandedEvm, LedgerRefusal, LedgerRevert, type LedgerToken } from './evm-ledger.ts';

export interface EvmChainSimulatorOptions {
  readonly chainId: number;
  readonly tokens: readonly LedgerToken[];
  readonly clock: Clock;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  /** True if the Multicall contract exists. Default true. */
  readonly multicall?: boolean;
  /** Chain state shared with other simulators. Default: a state of its own. */
  readonly ledger?: EvmLedger;
}

export type EvmChainSimulator = Awaited<ReturnType<typeof createEvmChainSimulator>>;

const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11';
/** Time between two blocks. */
const BLOCK_MS = 250;
const GENESIS: EpochMs = Date.UTC(2021, 7, 31);
/** Code of every contract. Clients read it, and nothing runs it. */
const SOME_CODE: Hex = '0x6080604052';
const CONTRACT_WALLET_ABI = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
const ERROR_ABI = parseAbi(['error Error(string)']);

/** JSON-RPC error. */
class RpcError extends Error {
  readonly code: number;
  readonly data: Hex | undefined;

  constructor(code: number, message: string, data?: Hex) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`;
const digest = (...parts: string[]): Buffer => createHash('sha256').update(parts.join(' ')).digest();

/** Addresses with code on the chain: tokens, contract wallets, and the multicall contract. */
interface Contracts {
  readonly tokens: ReadonlyMap<string, EvmChainSimulatorOptions['tokens'][number]>;
  readonly codes: ReadonlyMap<string, Hex>;
  /** Owners of the contract wallets, by address. */
  readonly owners: ReadonlyMap<string, string>;
  readonly ledger: EvmLedger;
  readonly multicall: boolean;
}

type Methods = Readonly<Record<string, (params: readonly unknown[]) => unknown>>;

/** Starts the simulator. Equal clocks and requests give equal responses. Addresses ending in 0 hold nothing. */
export async function createEvmChainSimulator(options: EvmChainSimulatorOptions) {
  const { clock } = options;
  const faults = options.faults ?? createFaultSwitch(options.chainId);
  const tokens = new Map(options.tokens.map((token) => [token.contract.toLowerCase(), token]));
  const codes = new Map<string, Hex>();
  /** Owners of the contract wallets, by address. */
  const owners = new Map<string, string>();
  const venueNow = (): EpochMs => clock.now() + faults.settings.clockOffsetMs;
  const newest = (): number => options.ledger?.newest() ?? newestBlock(venueNow());
  const ledger = options.ledger ?? foundLedger({ chainId: options.chainId, tokens: options.tokens, newest });
  const contracts: Contracts = { tokens, codes, owners, ledger, multicall: options.multicall !== false };

  const findBlock = (tag: unknown): number | null => blockOfTag(tag, newest(), ledger);
  function state(tag: unknown): void {
    if (findBlock(tag) === null) throw new RpcError(-32000, 'header not found');
  }

  const METHODS: Methods = {
    eth_chainId: () => hex(options.chainId),
    net_version: () => String(options.chainId),
    web3_clientVersion: () => 'sevengate-sandbox/1',
    eth_syncing: () => false,
    eth_blockNumber: () => hex(newest()),
    eth_gasPrice: () => hex(10_000_000),
    eth_getBlockByNumber: ([tag]) => {
      const number = findBlock(tag);
      return number === null ? null : block(ledger, number);
    },
    eth_getBalance: ([address, tag]) => {
      state(tag);
      return hex(ledger.balance(toAddress(address), null));
    },
    eth_maxPriorityFeePerGas: () => hex(0),
    eth_estimateGas: () => hex(250_000),
    eth_sendRawTransaction: ([raw]) => {
      if (typeof raw !== 'string' || !/^0x([0-9a-fA-F]{2})+$/.test(raw))
        throw new RpcError(-32602, 'invalid argument 0: invalid hex string');
      return ledger.submit(raw.toLowerCase() as Hex);
    },
    eth_getTransactionByHash: ([hash]) => {
      const landed = ledger.landed(String(hash));
      return landed === null ? null : transactionBody(landed, options.chainId, ledger.blockHash(landed.block));
    },
    eth_getTransactionReceipt: ([hash]) => {
      const landed = ledger.landed(String(hash));
      return landed === null ? null : receiptBody(landed, ledger.blockHash(landed.block));
    },
    eth_getCode: ([address, tag]) => {
      state(tag);
      return findCode(contracts, toAddress(address));
    },
    eth_getTransactionCount: ([address, tag]) => {
      state(tag);
      return hex(ledger.nonce(toAddress(address), tag === 'finalized' || tag === 'safe'));
    },
    eth_call: ([transaction, tag]) => {
      state(tag);
      const { from, to, data, input, value } = (transaction ?? {}) as Record<string, unknown>;
      const payload = data ?? input ?? '0x';
      if (typeof payload !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(payload))
        throw new RpcError(-32602, 'invalid argument 0: invalid hex string');
      const returned = call(contracts, toAddress(to), payload as Hex);
      if (returned !== null && returned !== '0x') return returned;
      // Simulates a call from a wallet: it fails if its changes would fail, and the changes are discarded.
      if (from !== undefined)
        return dryRun(ledger, { from: toAddress(from), to: toAddress(to), data: payload as Hex, value: BigInt(String(value ?? '0x0')) });
      if (returned !== null) return returned;
      throw new RpcError(3, 'execution reverted', encodeErrorResult({ abi: ERROR_ABI, errorName: 'Error', args: ['not supported'] }));
    },
  };

  function request({ method, path, body }: LoopbackRequest): LoopbackAnswer {
    if (path !== '/' || method !== 'POST') return { status: 404, body: 'not found' };
    if (faults.happens(faults.settings.status5xx)) return { status: 503, body: 'Service Unavailable' };
    if (faults.happens(faults.settings.status429))
      return { status: 429, body: { jsonrpc: '2.0', id: null, error: { code: -32005, message: 'limit exceeded' } } };
    if (faults.happens(faults.settings.garbage)) return { status: 200, body: '<html>' };
    return { status: 200, body: answerAll(body, METHODS) };
  }

  const server = await listenOnLoopback({ clock, faults, port: options.port, request, socket: () => null });
  return {
    url: server.url,
    faults,
    /** State of the chain, with its controls. */
    ledger,
    /** Sets the balance of an address, in base units. A null `contract` means the native coin. */
    setBalance: (address: string, contract: string | null, balance: bigint) => ledger.setBalance(address, contract, balance),
    setCode: (address: string, code: Hex) => void codes.set(address.toLowerCase(), code),
    /** Puts a contract wallet at an address that accepts signatures of the owner's key (ERC-1271). */
    setContractWallet(address: string, owner: string) {
      owners.set(address.toLowerCase(), owner.toLowerCase());
      codes.set(address.toLowerCase(), SOME_CODE);
    },
    setNonce: (address: string, nonce: number) => ledger.setNonce(address, nonce),
    close: server.close,
  };
}

/** Answers a call or a batch of calls. */
function answerAll(body: string, methods: Methods): object {
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse error' } };
  }
  if (!Array.isArray(message)) return answerTo(message, methods);
  if (message.length === 0) return { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'empty batch' } };
  return message.map((each) => answerTo(each, methods));
}

/** Executes one call and returns its result or a JSON-RPC error. */
function answerTo(message: unknown, methods: Methods): object {
  const { jsonrpc, id, method, params } = (typeof message === 'object' && message !== null ? message : {}) as Record<string, unknown>;
  const known = typeof id === 'number' || typeof id === 'string' ? id : null;
  const refused = (code: number, text: string, data?: Hex) => ({
    jsonrpc: '2.0',
    id: known,
    error: { code, message: text, ...(data === undefined ? {} : { data }) },
  });
  if (jsonrpc !== '2.0' || typeof method !== 'string') return refused(-32600, 'invalid request');
  const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (run === undefined) return refused(-32601, `the method ${method} does not exist/is not available`);
  if (params !== undefined && !Array.isArray(params)) return refused(-32602, 'non-array args');
  try {
    return { jsonrpc: '2.0', id: known, result: run((params as unknown[] | undefined) ?? []) };
  } catch (error) {
    if (error instanceof RpcError) return refused(error.code, error.message, error.data);
    if (error instanceof LedgerRefusal) return refused(-32000, error.message);
    return refused(-32603, 'internal error');
  }
}

/** Returns the block number of a tag or number, or null if it is newer than the newest block. */
function blockOfTag(tag: unknown, newest: number, ledger: EvmLedger): number | null {
  if (tag === undefined || tag === 'latest' || tag === 'pending') return newest;
  if (tag === 'safe' || tag === 'finalized') return ledger.final();
  if (tag === 'earliest') return 0;
  if (typeof tag !== 'string' || !/^0x(0|[1-9a-f][0-9a-f]{0,12})$/.test(tag))
    throw new RpcError(-32602, `invalid block tag ${String(tag)}`);
  const number = Number(tag);
  return number <= newest ? number : null;
}

function findCode(contracts: Contracts, address: string): Hex {
  const { tokens, codes } = contracts;
  const known = codes.get(address);
  if (known !== undefined) return known;
  return tokens.has(address) || (address === MULTICALL3 && contracts.multicall) ? SOME_CODE : '0x';
}

/** Executes a call, or returns null if the contract reverts. A call to an address without code returns `0x`, as on a real chain. */
function call(contracts: Contracts, to: string, data: Hex): Hex | null {
  const { tokens, owners, ledger } = contracts;
  const token = tokens.get(to);
  const owner = owners.get(to);
  if (owner !== undefined) return walletAnswer(owner, data);
  if (to === MULTICALL3 && contracts.multicall) return aggregate(contracts, data);
  if (token === undefined) return '0x';
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
    if (functionName === 'balanceOf') return encodeAbiParameters([{ type: 'uint256' }], [ledger.balance(args[0] as string, to)]);
    if (functionName === 'decimals') return encodeFunctionResult({ abi: erc20Abi, functionName, result: token.decimals });
    if (functionName === 'allowance')
      return encodeAbiParameters([{ type: 'uint256' }], [ledger.allowance(args[0] as string, args[1] as string, to)]);
    if (functionName === 'symbol') return encodeFunctionResult({ abi: erc20Abi, functionName, result: token.symbol });
    return null;
  } catch {
    // Unknown selector: the token reverts.
    return null;
  }
}

function aggregate(contracts: Contracts, data: Hex): Hex | null {
  const { args } = decodeFunctionData({ abi: multicall3Abi, data });
  const results = [];
  for (const { target, allowFailure, callData } of args[0] as readonly { target: string; allowFailure: boolean; callData: Hex }[]) {
    const returned = call(contracts, target.toLowerCase(), callData);
    if (returned === null && !allowFailure) return null;
    results.push({ success: returned !== null, returnData: returned ?? '0x' });
  }
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results });
}

function block(ledger: EvmLedger, number: number): object {
  return {
    number: hex(number),
    hash: ledger.blockHash(number),
    parentHash: ledger.blockHash(number - 1),
    timestamp: hex(Math.floor((GENESIS + number * BLOCK_MS) / 1_000)),
    nonce: '0x0000000000000000',
    difficulty: '0x1',
    totalDifficulty: hex(number),
    gasLimit: hex(1_125_899_906_842_624),
    gasUsed: hex(digest('gas', String(number)).readUInt32LE(0) % 30_000_000),
    baseFeePerGas: hex(10_000_000),
    miner: getAddress(`0x${'a4'.repeat(20)}`),
    extraData: '0x',
    logsBloom: `0x${'0'.repeat(512)}`,
    mixHash: `0x${'0'.repeat(64)}`,
    sha3Uncles: `0x${'1'.repeat(64)}`,
    stateRoot: `0x${digest('state', String(number)).toString('hex')}`,
    receiptsRoot: `0x${digest('receipts', String(number)).toString('hex')}`,
    transactionsRoot: `0x${digest('transactions', String(number)).toString('hex')}`,
    size: '0x220',
    transactions: [],
    uncles: [],
  };
}

function dryRun(ledger: EvmLedger, wanted: { from: string; to: string; data: Hex; value: bigint }): Hex {
  try {
    return ledger.call(wanted);
  } catch (error) {
    if (!(error instanceof LedgerRevert)) throw error;
    const data = encodeErrorResult({ abi: ERROR_ABI, errorName: 'Error', args: [error.message] });
    throw new RpcError(3, `execution reverted: ${error.message}`, data);
  }
}

function toAddress(value: unknown): string {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)) return value.toLowerCase();
  throw new RpcError(-32602, `invalid argument 0: hex string has length ${String(value).length - 2}, want 40 for common.Address`);
}

/** Answers a call to a contract wallet with one owner: returns ERC-1271's magic value, or reverts as common wallets do. */
function walletAnswer(owner: string, data: Hex): Hex | null {
  try {
    const { args } = decodeFunctionData({ abi: CONTRACT_WALLET_ABI, data });
    const bytes = hexToBytes(args[1]);
    const signature = secp256k1.Signature.fromCompact(bytes.subarray(0, 64)).addRecoveryBit((bytes[64] ?? 0) - 27);
    const signer = publicKeyToAddress(`0x${signature.recoverPublicKey(hexToBytes(args[0])).toHex(false)}`);
    if (bytes.length !== 65 || signer.toLowerCase() !== owner) return null;
    return encodeFunctionResult({ abi: CONTRACT_WALLET_ABI, functionName: 'isValidSignature', result: '0x1626ba7e' });
  } catch {
    // Invalid signature or unknown function.
    return null;
  }
}

/** Creates a ledger whose initial balances are derived from the addresses. Addresses ending in 0 hold nothing. */
export function foundLedger(options: {
  readonly chainId: number;
  readonly tokens: readonly LedgerToken[];
  readonly newest: () => number;
}): EvmLedger {
  const decimals = new Map(options.tokens.map((token) => [token.contract.toLowerCase(), token.decimals]));
  let opened: number | null = null;
  return createEvmLedger({
    ...options,
    opening(address, contract) {
      if (address.endsWith('0')) return 0n;
      // Some thousands of a token, or a few native coins.
      const part = BigInt(digest(address, contract ?? 'native').readUInt32LE(0));
      const whole = contract === null ? 4n : 25_000n;
      return (part * whole * 10n ** BigInt(contract === null ? 18 : (decimals.get(contract) ?? 0))) >> 32n;
    },
    // Starts at the block at which the chain was opened, so that a restarted chain never mistakes a transaction for an old one.
    openingNonce: (address) =>
      address.endsWith('0') ? 0 : (opened ??= options.newest()) + (digest(address, 'nonce').readUInt16LE(0) % 500),
  });
}

/** Returns the newest block number at a time. */
export function newestBlock(now: EpochMs): number {
  return Math.floor((now - GENESIS) / BLOCK_MS);
}

function transactionBody(landed: LandedEvm, chainId: number, blockHash: Hex): object {
  const { hash, from, to, data, value, nonce, type, block } = landed;
  return {
    hash,
    from,
    to,
    input: data,
    value: hex(value),
    nonce: hex(nonce),
    type: type === 'legacy' ? '0x0' : type === 'eip2930' ? '0x1' : '0x2',
    chainId: hex(chainId),
    blockHash,
    blockNumber: hex(block),
    transactionIndex: '0x0',
    gas: hex(250_000),
    gasPrice: hex(10_000_000),
    maxFeePerGas: hex(20_000_000),
    maxPriorityFeePerGas: hex(0),
    accessList: [],
    v: '0x0',
    r: '0x1',
    s: '0x1',
  };
}

function receiptBody(landed: LandedEvm, blockHash: Hex): object {
  const { hash, from, to, block, status, logs } = landed;
  const place = { transactionHash: hash, transactionIndex: '0x0', blockHash, blockNumber: hex(block) };
  return {
    ...place,
    from,
    to,
    status: status === 'success' ? '0x1' : '0x0',
    type: '0x2',
    contractAddress: null,
    cumulativeGasUsed: hex(120_000),
    gasUsed: hex(120_000),
    effectiveGasPrice: hex(10_000_000),
    logsBloom: `0x${'0'.repeat(512)}`,
    logs: logs.map((log, index) => ({ ...log, ...place, logIndex: hex(index), removed: false })),
  };
}
