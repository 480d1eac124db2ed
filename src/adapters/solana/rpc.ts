/** JSON-RPC client of a primary chain node for prepared transactions and balances. See docs/reference/outside/primary-chain.md. */
import type { ChainAccount } from '../../../actors/prepared-transaction/chain-client.ts';
import type { MessageLifetime } from '../../../actors/prepared-transaction/built.ts';
import type { HolderReading } from '../../domain/agent-market/holders.ts';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import { base58, isAddress } from '../../domain/solana/base58.ts';
import type { BalanceChanges, Broadcast, Commitment, LandedTransaction, SignatureStatus, Simulation } from '../../domain/solana/chain.ts';
import { listAccounts, readTransaction } from '../../domain/solana/message.ts';
import { TOKEN_2022, TOKEN_PROGRAM } from '../../domain/solana/programs.ts';
import { type MintAccount, multiplierAt, readLookupTable, readMint, readTokenAccount } from '../../domain/solana/token-layout.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { AnswerReader, changesFrom } from './answers.ts';
import { createJsonRpc, NodeError, type Reply, type JsonRpcOptions } from '../json-rpc.ts';

/** Token balance of an address over all of its accounts of a mint. */
interface TokenBalance {
  readonly mint: string;
  readonly program: string;
  readonly decimals: number;
  /** Raw units. */
  readonly amount: bigint;
  /** One UI unit is 10^decimals / multiplier raw units now (scaled UI amount). */
  readonly multiplier: number;
  readonly accounts: readonly string[];
  /** True if an account is frozen by the issuer or the mint is paused, so that not everything can be moved. */
  readonly frozen: boolean;
}

export interface AddressBalances {
  readonly address: string;
  /** Oldest slot of the reads. */
  readonly slot: number;
  readonly fetchedAt: EpochMs;
  readonly lamports: bigint;
  /** Balances by mint. */
  readonly tokens: readonly TokenBalance[];
}

/** Mint and the program that owns it. */
interface MintInfo extends MintAccount {
  readonly mint: string;
  readonly program: string;
}

export type SolanaRpc = ReturnType<typeof createSolanaRpc>;

const LOOKUP_TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';
/** Maximum accounts per request. */
const MOST_ACCOUNTS = 100;
/** Commitment of reads; preflight uses it too, so that both see the same state. */
const WORKING: Commitment = 'confirmed';
const IN_BASE64 = { encoding: 'base64', commitment: WORKING } as const;

type Ask = (method: string, ...params: readonly unknown[]) => Promise<AnswerReader>;

/** Creates the client. Reads are not cached. @throws TypeError for an invalid URL */
export function createSolanaRpc(options: JsonRpcOptions) {
  const { clock } = options;
  const rpc = createJsonRpc(options);
  const ask: Ask = async (method, ...params) => new AnswerReader(await rpc.ask(method, params), method);

  return {
    blockHeight: async (commitment: Commitment): Promise<number> => (await ask('getBlockHeight', { commitment })).whole(),
    /** Returns the newest processed slot and the time of the newest confirmed one. @throws NodeError */
    async head(): Promise<{ readonly height: number; readonly at: EpochMs | null }> {
      const slotAt = async (commitment: Commitment) => (await ask('getSlot', { commitment })).whole();
      const [height, confirmed] = await Promise.all([slotAt('processed'), slotAt('confirmed')]);
      const seconds = (await ask('getBlockTime', confirmed)).orNull((one) => one.whole());
      return { height, at: seconds === null ? null : seconds * 1_000 };
    },
    /** Returns the status of a signature. @throws NodeError if the node does not answer plausibly; a missing answer never means `unseen` */
    status: (signature: string): Promise<SignatureStatus> => statusFrom(ask, signature),
    /**
     * Sends once with preflight and without the node's retries, and only while `leftMs` returns more than 0 ms. @throws NodeError if the node
     * did not accept it
     */
    async broadcast(signed: Uint8Array, leftMs?: () => number): Promise<Broadcast> {
      const settings = { encoding: 'base64', preflightCommitment: WORKING, maxRetries: 0 };
      return readBroadcast(await rpc.once('sendTransaction', [Buffer.from(signed).toString('base64'), settings], leftMs), signed);
    },
    /** Simulates the bytes. The blockhash is checked, signatures are not. @throws NodeError */
    simulate: (transaction: Uint8Array): Promise<Simulation> => simulationFrom(ask, transaction),
    /** Returns a finalized transaction, else null. @throws NodeError */
    transaction: (signature: string): Promise<LandedTransaction | null> => landedFrom(ask, signature),
    /** Returns the addresses of a lookup table; null if it is not one. @throws NodeError */
    async lookupTable(address: string): Promise<readonly string[] | null> {
      const [account] = await accountsFrom(ask, [address]);
      return account?.owner === LOOKUP_TABLE_PROGRAM ? readLookupTable(account.data) : null;
    },
    async latestBlockhash(commitment: Commitment): Promise<MessageLifetime> {
      const value = (await ask('getLatestBlockhash', { commitment })).field('value');
      return { blockhash: value.field('blockhash').address(), lastValidBlockHeight: value.field('lastValidBlockHeight').whole() };
    },
    /** Reads all balances of an address. Refuses an invalid address with `malformed`. @throws NodeError */
    balancesOf: async (owner: string): Promise<Outcome<AddressBalances>> =>
      isAddress(owner)
        ? { ok: true, value: await holdingsFrom(ask, owner, clock.now()) }
        : refuse('malformed', 'owner: an address of the primary chain is 32 bytes in base58'),
    /** Returns a mint of either token program, else null. @throws NodeError */
    mintInfo: async (mint: string): Promise<MintInfo | null> =>
      isAddress(mint) ? ((await mintsFrom(ask, [mint])).get(mint) ?? null) : null,
    /** Returns the largest accounts of a mint and their owners; null if it is not a mint. @throws NodeError */
    largestHolders: (mint: string): Promise<HolderReading | null> => holdersFrom(ask, mint),
    /** Reads up to 100 accounts at one slot; null for a missing account. @throws NodeError */
    async accounts(addresses: readonly string[]): Promise<{ readonly slot: number; readonly accounts: readonly (ChainAccount | null)[] }> {
      const answer = await ask('getMultipleAccounts', addresses, IN_BASE64);
      const list = answer.field('value').list();
      if (list.length !== addresses.length)
        throw new NodeError('malformed', `the node answered getMultipleAccounts with ${list.length} accounts for ${addresses.length}`);
      const slot = answer.field('context').field('slot').whole();
      return { slot, accounts: list.map((one) => one.orNull((account) => account.account())) };
    },
    close: rpc.close,
  };
}

/** Maximum accounts that a node lists for a mint. */
const LARGEST_ACCOUNTS = 20;

async function holdersFrom(ask: Ask, mint: string): Promise<HolderReading | null> {
  const facts = (await mintsFrom(ask, [mint])).get(mint);
  if (facts === undefined) return null;
  const answer = await ask('getTokenLargestAccounts', mint, { commitment: WORKING });
  const slot = answer.field('context').field('slot').whole();
  const told = answer
    .field('value')
    .list()
    .map((one) => one.field('address').address());
  const accounts = await accountsFrom(ask, told);
  const found = accounts.flatMap((account, index) => {
    const token = account === null ? null : readTokenAccount(account.data);
    return token === null || token.mint !== mint ? [] : [{ account: told[index] as string, owner: token.owner, amount: token.amount }];
  });
  const owners = [...new Set(found.map(({ owner }) => owner))];
  const programs = new Map((await accountsFrom(ask, owners)).map((account, index) => [owners[index], account?.owner ?? null]));
  const holdings = found.map((one) => ({ ...one, ownerProgram: programs.get(one.owner) ?? null }));
  return { slot, supply: facts.supply, decimals: facts.decimals, holdings, asked: LARGEST_ACCOUNTS };
}

async function accountsFrom(ask: Ask, addresses: readonly string[]): Promise<readonly (ChainAccount | null)[]> {
  const found: (ChainAccount | null)[] = [];
  for (let at = 0; at < addresses.length; at += MOST_ACCOUNTS) {
    const part = addresses.slice(at, at + MOST_ACCOUNTS);
    const list = (await ask('getMultipleAccounts', part, IN_BASE64)).field('value').list();
    if (list.length !== part.length)
      throw new NodeError('malformed', `the node answered getMultipleAccounts with ${list.length} accounts for ${part.length}`);
    found.push(...list.map((one) => one.orNull((account) => account.account())));
  }
  return found;
}

function isTokenProgram(program: string): boolean {
  return program === TOKEN_PROGRAM || program === TOKEN_2022;
}

/** Returns the mints among the addresses. */
async function mintsFrom(ask: Ask, addresses: readonly string[]): Promise<ReadonlyMap<string, MintInfo>> {
  const accounts = await accountsFrom(ask, addresses);
  return new Map(
    addresses.flatMap((mint, index) => {
      const account = accounts[index] ?? null;
      const facts = account === null || !isTokenProgram(account.owner) ? null : readMint(account.data);
      return account === null || facts === null ? [] : [[mint, { ...facts, mint, program: account.owner }] as const];
    }),
  );
}

async function statusFrom(ask: Ask, signature: string): Promise<SignatureStatus> {
  const list = (await ask('getSignatureStatuses', [signature], { searchTransactionHistory: true })).field('value').list();
  const [only] = list;
  if (only === undefined || list.length !== 1)
    throw new NodeError('malformed', `the node answered getSignatureStatuses with ${list.length} statuses for one signature`);
  const found = only.orNull((one) => ({
    state: one.field('confirmationStatus').commitment(),
    slot: one.field('slot').whole(),
    error: one.field('err').errorText(),
  }));
  return found ?? { state: 'unseen', slot: null, error: null };
}

/** RPC error codes that prove that the bytes were not forwarded. */
const CERTAIN: ReadonlySet<number> = new Set([-32002, -32003, -32600, -32601, -32602]);
/** RPC error codes of a node that is behind or busy. It accepted nothing, but may later. */
const BUSY: ReadonlySet<number> = new Set([-32004, -32005, -32016, 429]);

function readBroadcast(reply: Reply, signed: Uint8Array): Broadcast {
  if (reply.kind === 'not_taken') throw reply.error;
  if (reply.kind === 'lost') return { outcome: 'unknown', detail: reply.error.message };
  if (reply.kind === 'result') {
    // The signature count is one byte: no transaction has 128 of them.
    if (reply.value === base58(signed.subarray(1, 65))) return { outcome: 'sent' };
    return { outcome: 'unknown', detail: 'the node returned another signature than the one sent' };
  }
  const { code, message, data } = reply;
  const error = typeof data === 'object' && data !== null ? ((data as Record<string, unknown>)['err'] ?? null) : null;
  // The chain already has the transaction; equal bytes are one transaction.
  if (code === -32002 && error === 'AlreadyProcessed') return { outcome: 'sent' };
  if (BUSY.has(code)) throw new NodeError(`rpc_${code}`, `the node takes no transaction now: ${message}`, data);
  if (!CERTAIN.has(code)) return { outcome: 'unknown', detail: `the node answered ${code}: ${message}` };
  return { outcome: 'refused', reason: error === null ? message : `${message} (${JSON.stringify(error)})` };
}

async function simulationFrom(ask: Ask, bytes: Uint8Array): Promise<Simulation> {
  const settings = { ...IN_BASE64, sigVerify: false, replaceRecentBlockhash: false };
  const value = (await ask('simulateTransaction', Buffer.from(bytes).toString('base64'), settings)).field('value');
  const error = value.field('err').errorText();
  const units = value.field('unitsConsumed').orNull((one) => one.whole());
  return {
    error,
    logs: value.field('logs').orNull((logs) => logs.list().map((line) => line.text())) ?? [],
    unitsConsumed: units === null ? null : String(units),
    changes: simulatedChanges(value, bytes, error),
  };
}

/** Returns the balance changes of a simulation; empty if it failed before execution, when a node reports none. */
function simulatedChanges(value: AnswerReader, bytes: Uint8Array, error: string | null): BalanceChanges {
  if (error !== null && value.field('preBalances').isNull()) return { lamports: [], tokens: [] };
  const read = readTransaction(bytes);
  // The node parsed the bytes, so only our stricter parser can fail here.
  if (!read.ok) throw new NodeError('malformed', read.refusal.detail);
  const loaded = value.field('loadedAddresses').orNull((one) => one.loaded()) ?? [];
  if (listAccounts(read.value).length !== read.value.staticKeys.length + loaded.length)
    throw new NodeError('malformed', 'the node does not tell which addresses the lookup tables gave');
  return changesFrom(value, [...read.value.staticKeys, ...loaded]);
}

async function landedFrom(ask: Ask, signature: string): Promise<LandedTransaction | null> {
  const settings = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 };
  return (await ask('getTransaction', signature, settings)).orNull((found) => {
    const meta = found.field('meta');
    const keys = found
      .field('transaction')
      .field('message')
      .field('accountKeys')
      .list()
      .map((key) => key.address());
    const loaded = meta.field('loadedAddresses').orNull((one) => one.loaded()) ?? [];
    const blockTime = found.field('blockTime').orNull((seconds) => seconds.whole());
    return {
      slot: found.field('slot').whole(),
      blockTime: blockTime === null ? null : blockTime * 1_000,
      error: meta.field('err').errorText(),
      feeLamports: String(meta.field('fee').whole()),
      changes: changesFrom(meta, [...keys, ...loaded]),
    };
  });
}

async function holdingsFrom(ask: Ask, owner: string, now: EpochMs): Promise<AddressBalances> {
  const [native, plain, extended] = await Promise.all([
    ask('getBalance', owner, { commitment: WORKING }),
    ask('getTokenAccountsByOwner', owner, { programId: TOKEN_PROGRAM }, IN_BASE64),
    ask('getTokenAccountsByOwner', owner, { programId: TOKEN_2022 }, IN_BASE64),
  ]);
  const held = [plain, extended].flatMap((answer) => answer.field('value').list()).map((one) => heldAccount(one, owner));
  const mints = await mintsFrom(ask, [...new Set(held.map(({ mint }) => mint))]);
  const slots = [native, plain, extended].map((answer) => answer.field('context').field('slot').whole());
  return {
    address: owner,
    slot: Math.min(...slots),
    fetchedAt: now,
    lamports: BigInt(native.field('value').whole()),
    tokens: sumHoldings(held, mints, now),
  };
}

interface HeldAccount {
  readonly account: string;
  readonly mint: string;
  readonly amount: bigint;
  readonly frozen: boolean;
}

function heldAccount(one: AnswerReader, owner: string): HeldAccount {
  const account = one.field('pubkey').address();
  const token = readTokenAccount(one.field('account').account().data);
  if (token === null || token.owner !== owner)
    throw new NodeError('malformed', `the node answered ${account} as a token account of ${owner}, and it is none`);
  return { account, mint: token.mint, amount: token.amount, frozen: token.state === 'frozen' };
}

function sumHoldings(held: readonly HeldAccount[], mints: ReadonlyMap<string, MintInfo>, now: EpochMs): TokenBalance[] {
  const byMint = new Map<string, HeldAccount[]>();
  for (const one of held) byMint.set(one.mint, [...(byMint.get(one.mint) ?? []), one]);
  const holdings = [...byMint].map(([mint, list]): TokenBalance => {
    const facts = mints.get(mint);
    if (facts === undefined) throw new NodeError('malformed', `the node has accounts of the mint ${mint}, and no such mint`);
    return {
      mint,
      program: facts.program,
      decimals: facts.decimals,
      amount: list.reduce((sum, { amount }) => sum + amount, 0n),
      multiplier: multiplierAt(facts, now),
      accounts: list.map(({ account }) => account),
      frozen: facts.paused || list.some(({ frozen }) => frozen),
    };
  });
  return holdings.sort((a, b) => (a.mint < b.mint ? -1 : 1));
}
