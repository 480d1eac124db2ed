/** JSON-RPC methods of the sandbox's node. */
import { createHash } from 'node:crypto';
import { type Address, type EncodedAccount, getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { type MintAccount, readTokenAccount } from '../../domain/solana/token-layout.ts';
import type { Landed, SolanaChain } from './chain.ts';
import { errorSentence } from './transaction-error.ts';
import { fund, NATIVE } from './genesis.ts';
import { TOKEN, TOKEN_2022 } from './instructions.ts';
import { computeFee, type Run } from './machine.ts';
import {
  readAddress,
  readCommitment,
  readEncoding,
  readFlag,
  readList,
  preflightFailure,
  RpcRefusal,
  type Settings,
  readSettings,
  readSignature,
  readText,
  readTransaction,
  readWhole,
} from './parameters.ts';
import {
  isTokenProgram,
  type MintSource,
  mintSource,
  spellAccount,
  spellBalances,
  spellInner,
  spellLanded,
  spellReturnData,
  uiAmount,
} from './rpc-encoding.ts';
import { BLOCKHASH_LIFE, type Commitment, SLOTS_PER_EPOCH } from './slot-clock.ts';
import { fullySigned, decodeMessage } from './decode-transaction.ts';

type Method = (params: readonly unknown[]) => unknown;

const VERSION = { 'solana-core': '3.0.6', 'feature-set': 3_640_012_085 };
/** Number of slots whose signatures a node remembers without searching its history. */
const RECENT_SLOTS = 300;
const ACCOUNT_ENCODINGS = ['base58', 'base64', 'jsonParsed'] as const;

interface Reading {
  readonly chain: SolanaChain;
  readonly commitment: Commitment;
  readonly mints: MintSource;
}

/** Returns the requested commitment. @throws RpcRefusal if the node has not reached the requested slot */
function reading(chain: SolanaChain, settings: Settings): Reading {
  const commitment = readCommitment(settings['commitment']);
  const { minContextSlot } = settings;
  if (minContextSlot !== undefined && minContextSlot !== null && chain.slot(commitment) < readWhole(minContextSlot, 'a slot'))
    throw new RpcRefusal(-32016, 'Minimum context slot has not been reached', { contextSlot: chain.slot(commitment) });
  return { chain, commitment, mints: mintSource(chain, commitment) };
}

function inContext({ chain, commitment }: Pick<Reading, 'chain' | 'commitment'>, value: unknown): object {
  return { context: { apiVersion: VERSION['solana-core'], slot: chain.slot(commitment) }, value };
}

/** Creates all methods by name. Each throws `RpcRefusal` if a node would refuse. */
export function createMethods(chain: SolanaChain, seed: number): Readonly<Record<string, Method>> {
  const read = (settings: unknown): Reading => reading(chain, readSettings(settings));
  return {
    getHealth: () => 'ok',
    getVersion: () => VERSION,
    getGenesisHash: () => getBase58Decoder().decode(createHash('sha256').update(`genesis ${seed}`).digest()),
    getIdentity: () => ({ identity: chain.hashOf(0) }),
    getSlot: ([settings]) => chain.slot(read(settings).commitment),
    getBlockHeight: ([settings]) => chain.blockHeight(read(settings).commitment),
    getEpochInfo: ([settings]) => epochInfo(read(settings)),
    getBlockTime: ([slot]) => Math.floor((chain.now() - (chain.slot('processed') - readWhole(slot, 'a slot')) * 400) / 1_000),
    getLatestBlockhash: ([settings]) => {
      const at = read(settings);
      return inContext(at, chain.latestBlockhash(at.commitment));
    },
    isBlockhashValid: ([hash, settings]) => {
      const at = read(settings);
      return inContext(at, chain.isValid(readAddress(hash), at.commitment));
    },
    getBalance: ([at, settings]) => {
      const where = read(settings);
      return inContext(where, Number(chain.account(readAddress(at), where.commitment)?.lamports ?? 0n));
    },
    getMinimumBalanceForRentExemption: ([bytes]) => Number(chain.rent(readWhole(bytes, 'a length', 10_485_760))),
    getFeeForMessage: ([message, settings]) => feeForMessage(read(settings), message),
    getRecentPrioritizationFees: ([addresses]) => {
      for (const one of addresses === undefined ? [] : readList(addresses, 128, 'addresses')) readAddress(one);
      return Array.from({ length: BLOCKHASH_LIFE }, (_, back) => ({
        slot: chain.slot('processed') - back,
        prioritizationFee: 0,
      })).reverse();
    },
    ...accountMethods(chain),
    ...tokenMethods(chain),
    ...transactionMethods(chain),
  };
}

function epochInfo({ chain, commitment }: Reading): object {
  const slot = chain.slot(commitment);
  return {
    absoluteSlot: slot,
    blockHeight: chain.blockHeight(commitment),
    epoch: Math.floor(slot / SLOTS_PER_EPOCH),
    slotIndex: slot % SLOTS_PER_EPOCH,
    slotsInEpoch: SLOTS_PER_EPOCH,
    transactionCount: slot,
  };
}

function feeForMessage(where: Reading, message: unknown): object {
  const text = readText(message, 'a message');
  let read: ReturnType<typeof decodeMessage>;
  try {
    read = decodeMessage(Buffer.from(text, 'base64'));
  } catch (error) {
    throw new RpcRefusal(-32602, `failed to deserialize solana_message::versioned::VersionedMessage: ${(error as Error).message}`);
  }
  return inContext(where, where.chain.isValid(read.blockhash, where.commitment) ? Number(computeFee(read)) : null);
}

function readSlice(value: unknown): { offset: number; length: number } | undefined {
  if (value === undefined || value === null) return undefined;
  const { offset, length } = readSettings(value);
  return { offset: readWhole(offset, 'an offset'), length: readWhole(length, 'a length') };
}

/** Returns an encoder of accounts for the encoding that the request names. */
function speller(where: Reading, settings: Settings, otherwise: 'legacy' | 'base64'): (account: EncodedAccount) => object {
  const encoding = settings['encoding'] === undefined ? otherwise : readEncoding(settings, ACCOUNT_ENCODINGS, 'base64');
  const slice = readSlice(settings['dataSlice']);
  return (account) => {
    if ((encoding === 'base58' || encoding === 'legacy') && (slice?.length ?? account.data.length) > 128)
      throw new RpcRefusal(-32600, 'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.');
    return spellAccount(account, encoding, where.mints, slice);
  };
}

function accountMethods(chain: SolanaChain): Readonly<Record<string, Method>> {
  return {
    getAccountInfo: ([at, given]) => {
      const settings = readSettings(given);
      const where = reading(chain, settings);
      const account = chain.account(readAddress(at), where.commitment);
      return inContext(where, account === null ? null : speller(where, settings, 'legacy')(account));
    },
    getMultipleAccounts: ([addresses, given]) => {
      const settings = readSettings(given);
      const where = reading(chain, settings);
      const spell = speller(where, settings, 'base64');
      const accounts = readList(addresses, 100, 'addresses').map((one) => chain.account(readAddress(one), where.commitment));
      return inContext(
        where,
        accounts.map((account) => (account === null ? null : spell(account))),
      );
    },
    getProgramAccounts: ([program, given]) => {
      const settings = readSettings(given);
      const where = reading(chain, settings);
      const spell = speller(where, settings, 'legacy');
      const fits = readFilter(settings['filters']);
      const found = chain.owned(readAddress(program), where.commitment).filter((account) => fits(account.data as Uint8Array));
      const list = found.map((account) => ({ pubkey: account.address, account: spell(account) }));
      return readFlag(settings['withContext']) ? inContext(where, list) : list;
    },
  };
}

function readFilter(value: unknown): (data: Uint8Array) => boolean {
  const tests = (value === undefined ? [] : readList(value, 4, 'filters')).map((one): ((data: Uint8Array) => boolean) => {
    const { dataSize, memcmp } = readSettings(one);
    if (dataSize !== undefined) {
      const size = readWhole(dataSize, 'a size');
      return (data) => data.length === size;
    }
    const { offset, bytes, encoding } = readSettings(memcmp);
    const at = readWhole(offset, 'an offset');
    const text = readText(bytes, 'bytes');
    const wanted = encoding === 'base64' ? Buffer.from(text, 'base64') : (getBase58Encoder().encode(text) as Uint8Array);
    return (data) => wanted.every((byte, index) => data[at + index] === byte);
  });
  return (data) => tests.every((test) => test(data));
}

function tokenMethods(chain: SolanaChain): Readonly<Record<string, Method>> {
  const mintAt = (where: Reading, at: unknown): MintAccount => {
    const mint = where.mints.mint(readAddress(at));
    if (mint === null) throw new RpcRefusal(-32602, 'Invalid param: not a Token mint');
    return mint;
  };
  return {
    getTokenAccountsByOwner: ([owner, filter, given]) => {
      const settings = readSettings(given);
      const where = reading(chain, settings);
      const spell = speller(where, settings, 'legacy');
      const list = accountsOfOwner(where, readAddress(owner), readSettings(filter));
      return inContext(
        where,
        list.map((account) => ({ pubkey: account.address, account: spell(account) })),
      );
    },
    getTokenAccountBalance: ([at, given]) => {
      const where = reading(chain, readSettings(given));
      const account = chain.account(readAddress(at), where.commitment);
      if (account === null) throw new RpcRefusal(-32602, 'Invalid param: could not find account');
      const token = isTokenProgram(account.programAddress) ? readTokenAccount(account.data as Uint8Array) : null;
      const mint = token === null ? null : where.mints.mint(token.mint);
      if (token === null || mint === null) throw new RpcRefusal(-32602, 'Invalid param: not a Token account');
      return inContext(where, uiAmount(token.amount, mint, where.mints.now));
    },
    getTokenSupply: ([at, given]) => {
      const where = reading(chain, readSettings(given));
      const mint = mintAt(where, at);
      return inContext(where, uiAmount(mint.supply, mint, where.mints.now));
    },
    getTokenLargestAccounts: ([at, given]) => {
      const where = reading(chain, readSettings(given));
      const mint = mintAt(where, at);
      const held = holdings(where, (token) => token.mint === at).toSorted((a, b) =>
        a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0,
      );
      const largest = held
        .slice(0, 20)
        .map(({ account, amount }) => ({ address: account.address, ...uiAmount(amount, mint, where.mints.now) }));
      return inContext(where, largest);
    },
  };
}

function holdings(
  { chain, commitment }: Reading,
  wanted: (token: { readonly mint: string; readonly owner: string }) => boolean,
  programs: readonly Address[] = [TOKEN, TOKEN_2022],
): { readonly account: EncodedAccount; readonly amount: bigint }[] {
  return programs
    .flatMap((program) => chain.owned(program, commitment))
    .flatMap((account) => {
      const token = readTokenAccount(account.data as Uint8Array);
      return token !== null && wanted(token) ? [{ account, amount: token.amount }] : [];
    });
}

function accountsOfOwner(where: Reading, owner: Address, { mint, programId }: Settings): EncodedAccount[] {
  if ((mint === undefined) === (programId === undefined))
    throw new RpcRefusal(-32602, 'Invalid params: expected either mint or programId.');
  if (mint !== undefined) {
    const wanted = readAddress(mint);
    if (where.mints.mint(wanted) === null) throw new RpcRefusal(-32602, 'Invalid param: could not find mint');
    return holdings(where, (token) => token.owner === owner && token.mint === wanted).map(({ account }) => account);
  }
  const program = readAddress(programId);
  if (!isTokenProgram(program)) throw new RpcRefusal(-32602, 'Invalid param: unrecognized Token program id');
  return holdings(where, (token) => token.owner === owner, [program]).map(({ account }) => account);
}

function transactionMethods(chain: SolanaChain): Readonly<Record<string, Method>> {
  return {
    simulateTransaction: ([text, given]) => simulation(chain, text, readSettings(given)),
    sendTransaction: ([text, given]) => send(chain, text, readSettings(given)),
    requestAirdrop: ([to, lamports]) => {
      try {
        return fund(chain, readAddress(to), NATIVE, BigInt(readWhole(lamports, 'lamports')));
      } catch (error) {
        if (error instanceof RangeError) throw new RpcRefusal(-32602, `Invalid param: ${error.message}`);
        throw error;
      }
    },
    getSignatureStatuses: ([signatures, given]) => {
      const deep = readFlag(readSettings(given)['searchTransactionHistory']);
      const list = readList(signatures, 256, 'signatures').map((one) => findStatus(chain, readSignature(one), deep));
      return inContext({ chain, commitment: 'processed' }, list);
    },
    getTransaction: ([signature, given]) => transactionAnswer(chain, readSignature(signature), given),
    getSignaturesForAddress: ([at, given]) => history(chain, readAddress(at), readSettings(given)),
  };
}

/** Returns the status of a signature. An older one is found only by searching the history. */
function findStatus(chain: SolanaChain, signature: string, deep: boolean): object | null {
  const landed = chain.landed(signature);
  const newest = chain.slot('processed');
  if (landed === null || (!deep && newest - landed.slot > RECENT_SLOTS)) return null;
  const commitmentOf = chain.commitmentOf(landed.slot);
  const { error } = landed.run;
  return {
    slot: landed.slot,
    confirmations: commitmentOf === 'finalized' ? null : newest - landed.slot,
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    confirmationStatus: commitmentOf,
  };
}

const DEPTH_ORDER: Readonly<Record<Commitment, number>> = { processed: 0, confirmed: 1, finalized: 2 };

function reached(chain: SolanaChain, landed: Landed, commitment: Commitment): boolean {
  return DEPTH_ORDER[chain.commitmentOf(landed.slot)] >= DEPTH_ORDER[commitment];
}

/** Returns the commitment of history methods: at least confirmed, because nodes never show earlier blocks. */
function historyCommitment(settings: Settings): Commitment {
  const commitment = readCommitment(settings['commitment']);
  if (commitment === 'processed') throw new RpcRefusal(-32602, 'Method does not support commitment below `confirmed`');
  return commitment;
}

function transactionAnswer(chain: SolanaChain, signature: string, given: unknown): object | null {
  const settings = typeof given === 'string' ? { encoding: given } : readSettings(given);
  const commitment = historyCommitment(settings);
  const encoding = readEncoding(settings, ['json', 'base58', 'base64', 'jsonParsed'], 'json');
  const landed = chain.landed(signature);
  if (landed === null || !reached(chain, landed, commitment)) return null;
  const versions = settings['maxSupportedTransactionVersion'];
  if (landed.transaction.version === 0 && versions !== 0)
    throw new RpcRefusal(
      -32015,
      'Transaction version (0) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": 0',
    );
  return spellLanded(landed, encoding, mintSource(chain, 'processed'));
}

function history(chain: SolanaChain, at: Address, settings: Settings): object[] {
  const commitment = historyCommitment(settings);
  const { limit, before, until } = settings;
  const most = limit === undefined ? 1_000 : readWhole(limit, 'a limit', 1_000);
  const all = chain.historyOf(at).filter((landed) => reached(chain, landed, commitment));
  const from = before === undefined ? 0 : all.findIndex(({ signature }) => signature === readSignature(before)) + 1;
  const end = until === undefined ? -1 : all.findIndex(({ signature }) => signature === readSignature(until));
  return all
    .slice(from, end < 0 ? undefined : end)
    .slice(0, most)
    .map((landed) => ({
      signature: landed.signature,
      slot: landed.slot,
      err: landed.run.error,
      memo: landed.memo,
      blockTime: landed.unixSeconds,
      confirmationStatus: chain.commitmentOf(landed.slot),
    }));
}

/** Submits a transaction. The node refuses what it can check at once; the leader checks the rest. */
function send(chain: SolanaChain, text: unknown, settings: Settings): string {
  const transaction = readTransaction(text, settings);
  const skip = readFlag(settings['skipPreflight']);
  const { commitment } = reading(chain, { commitment: settings['preflightCommitment'], minContextSlot: settings['minContextSlot'] });
  if (!skip) {
    if (!fullySigned(transaction)) throw new RpcRefusal(-32003, 'Transaction signature verification failure');
    const { error, run } = chain.simulate(transaction, commitment);
    if (error !== null) throw preflightFailure(errorSentence(error), error, run ?? { logs: [], units: 0n });
  }
  chain.submit(transaction);
  return transaction.signature;
}

function simulation(chain: SolanaChain, text: unknown, settings: Settings): object {
  const transaction = readTransaction(text, settings);
  const where = reading(chain, settings);
  const verify = readFlag(settings['sigVerify']);
  const replace = readFlag(settings['replaceRecentBlockhash']);
  if (verify && replace) throw new RpcRefusal(-32602, 'sigVerify may not be used with replaceRecentBlockhash');
  if (verify && !fullySigned(transaction)) throw new RpcRefusal(-32003, 'Transaction signature verification failure');
  const { error, run } = chain.simulate(transaction, replace ? null : where.commitment);
  return inContext(where, {
    err: error,
    logs: run?.logs ?? [],
    accounts: accountsAfter(where, run, settings['accounts']),
    unitsConsumed: Number(run?.units ?? 0n),
    loadedAccountsDataSize: 0,
    returnData: run === null ? null : spellReturnData(run),
    innerInstructions: run !== null && readFlag(settings['innerInstructions']) ? spellInner(run) : null,
    replacementBlockhash: replace ? chain.latestBlockhash(where.commitment) : null,
    ...(run === null
      ? nothingMoved()
      : { fee: Number(computeFee(transaction)), ...spellBalances(run.before, run.after, where.mints), loadedAddresses: run.loaded }),
  });
}

function nothingMoved(): object {
  return { fee: null, preBalances: null, postBalances: null, preTokenBalances: null, postTokenBalances: null, loadedAddresses: null };
}

/** Returns the accounts after a simulation that the request asks for. */
function accountsAfter(where: Reading, run: Run | null, wanted: unknown): unknown {
  if (wanted === undefined || wanted === null) return null;
  const settings = readSettings(wanted);
  const spell = speller(where, { encoding: settings['encoding'] ?? 'base64' }, 'base64');
  return readList(settings['addresses'], 64, 'addresses').map((one) => {
    const at = readAddress(one);
    const account = run?.outcome.has(at) ? (run.outcome.get(at) ?? null) : where.chain.account(at, 'processed');
    return account === null ? null : spell(account);
  });
}
