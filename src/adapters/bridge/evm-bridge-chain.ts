/**
 * Client of the EVM chain for bridge transfers: reads through viem, broadcasts that are sent once, and strict parsing of signed
 * transactions. See docs/reference/outside/evm-chain.md.
 */
import {
  BaseError,
  createPublicClient,
  decodeEventLog,
  defineChain,
  erc20Abi,
  getAddress,
  type Hex,
  HttpRequestError,
  http,
  keccak256,
  type PublicClient,
  parseTransaction,
  recoverTransactionAddress,
  TimeoutError,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  type TransactionSerialized,
} from 'viem';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { SourceSighting } from '../../domain/bridge/axes.ts';
import { evmDifferences, type ReadEvmTransaction } from '../../domain/bridge/evm-fields.ts';
import type { UnsignedEvmTransaction } from '../../domain/bridge/quote.ts';
import { type ArrivalSighting, type ChainHead, isOlder, type TransferTerms } from '../../domain/bridge/transfer.ts';
import type { Broadcast } from '../../domain/solana/chain.ts';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import { createJsonRpc, type JsonRpc, type Reply } from '../json-rpc.ts';
import { EVM_HASH } from './provider-http.ts';

/** Timeout of a request. A broadcast that exceeds it has an unknown outcome. */
const TIMEOUT_MS = 8_000;

interface EvmChainOptions {
  /** JSON-RPC address of the node. It may contain a key and is never part of a message. */
  readonly url: string;
  readonly chainId: number;
  /** Address of the stablecoin's contract. */
  readonly token: string;
  readonly clock: Clock;
  readonly timeoutMs?: number;
  /** Receives the reason of every unanswered request. */
  readonly onFailure?: (reason: string) => void;
}

interface SignedEvmTransaction extends ReadEvmTransaction {
  readonly hash: Hex;
  readonly nonce: number;
}

export type EvmBridgeChain = ReturnType<typeof createEvmBridgeChain>;

/** Thrown if no node answers; a missing answer never means `unseen`. The message contains no address. */
export class EvmSilence extends Error {}

function createReader({ url, chainId, timeoutMs = TIMEOUT_MS }: EvmChainOptions): PublicClient {
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  return createPublicClient({
    chain,
    transport: http(url, { batch: { wait: 5 }, timeout: timeoutMs, retryCount: 1, fetchOptions: { redirect: 'error' } }),
  });
}

/** Creates a client for broadcasts that never repeats a request. The transport of viem may resend one on a reused connection. */
function createSender({ url, clock, timeoutMs = TIMEOUT_MS, onFailure }: EvmChainOptions): JsonRpc {
  return createJsonRpc({ url, clock, timeoutMs, ...(onFailure === undefined ? {} : { onFailure }) });
}

/** Creates the client. It opens no connection before the first read. */
export function createEvmBridgeChain(options: EvmChainOptions) {
  const { token, onFailure } = options;
  const client = createReader(options);
  const sender = createSender(options);
  const contract = getAddress(token);

  const { asked, found } = questionsTo(onFailure);
  const readReceipt = (hash: Hex) => found(() => client.getTransactionReceipt({ hash }));
  const blockAt = (blockTag: 'latest' | 'finalized') => asked(() => client.getBlock({ blockTag }));

  /** Returns the block of a transaction in the canonical chain; null if no canonical block holds it. */
  async function findInclusion(hash: Hex) {
    const receipt = await readReceipt(hash);
    if (receipt === null) return null;
    const [latest, final, own] = await Promise.all([
      blockAt('latest'),
      blockAt('finalized'),
      asked(() => client.getBlock({ blockNumber: receipt.blockNumber })),
    ]);
    // A node may keep a receipt of a block that was reorganized away.
    if (own.hash !== receipt.blockHash) return null;
    const confirmations = Number(latest.number - receipt.blockNumber) + 1;
    return { receipt, confirmations, isFinal: final.number >= receipt.blockNumber, block: toHead(own) };
  }

  /** Returns the status of the source transaction. @throws EvmSilence */
  async function source(terms: TransferTerms): Promise<SourceSighting> {
    if (terms.hash === null || terms.source.kind !== 'evm') throw new Error('the transfer has no source transaction on the EVM chain');
    const hash = terms.hash as Hex;
    const stands = await findInclusion(hash);
    if (stands === null) return sightUnseen(hash, terms);
    const transaction = await found(() => client.getTransaction({ hash }));
    if (transaction === null) throw new EvmSilence('the node of the EVM chain has a receipt and no transaction for it');
    const { confirmations, isFinal, receipt, block } = stands;
    // Equal bytes may have been signed earlier. A transaction from before the quote does not belong to it.
    const differs = [...evmDifferences(terms.source, toReadTransaction(transaction)), ...olderWords(block, terms.heads.evmvenue)];
    if (differs.length > 0) return { state: 'other', confirmations, detail: differs.join('; ') };
    if (receipt.status === 'reverted') return { state: isFinal ? 'failed' : 'included', confirmations, detail: 'it was reverted' };
    return { state: isFinal ? 'final' : 'included', confirmations, detail: null };
  }

  /** Returns `unseen`, or `replaced` if a finalized transaction used its nonce. */
  async function sightUnseen(hash: Hex, { source, nonce }: TransferTerms): Promise<SourceSighting> {
    if (source.kind === 'evm' && nonce !== null) {
      const used = await asked(() => client.getTransactionCount({ address: source.from as Hex, blockTag: 'finalized' }));
      // The receipt is read after the nonce, so that a transaction included in between is found.
      if (used > nonce && (await readReceipt(hash)) === null)
        return { state: 'expired', confirmations: 0, detail: `another transaction took its nonce ${nonce}` };
    }
    return { state: 'unseen', confirmations: 0, detail: null };
  }

  /** Returns the stablecoin payment of a transaction to an address. @throws EvmSilence */
  async function arrival(hash: string, recipient: string): Promise<ArrivalSighting> {
    if (!EVM_HASH.test(hash)) return { state: 'failed', hash, amount: null, block: null };
    const stands = await findInclusion(hash as Hex);
    if (stands === null) return { state: 'none', hash, amount: null, block: null };
    return arrivalIn(hash, stands, paidTo(stands.receipt.logs, contract, recipient));
  }

  return {
    chain: 'evmvenue' as const,
    source,
    arrival,
    /** Returns the newest block. @throws EvmSilence */
    head: async (): Promise<ChainHead> => toHead(await blockAt('latest')),
    /**
     * Broadcasts signed bytes once, and only while `leftMs` returns more than 0 ms. A node accepts the same bytes any number of times.
     * @throws EvmSilence if the node received nothing
     */
    broadcast: async (signed: string, leftMs?: () => number): Promise<Broadcast> =>
      readBroadcast(await sender.once('eth_sendRawTransaction', [signed], leftMs), signed as Hex),
    /** Returns the spender's allowance from an owner, in base units. @throws EvmSilence */
    async allowance(owner: string, spender: string): Promise<bigint> {
      const args = [getAddress(owner), getAddress(spender)] as const;
      return asked(() => client.readContract({ address: contract, abi: erc20Abi, functionName: 'allowance', args }));
    },
    /** Returns an owner's balance of the stablecoin, in base units. @throws EvmSilence */
    balance: (owner: string): Promise<bigint> =>
      asked(() => client.readContract({ address: contract, abi: erc20Abi, functionName: 'balanceOf', args: [getAddress(owner)] })),
    /** Returns the present gas price in wei. @throws EvmSilence */
    gasPrice: (): Promise<bigint> => asked(() => client.getGasPrice()),
    /** Returns why the chain would refuse a call now, or null if it would accept it. @throws EvmSilence */
    async simulate({ from, to, data, value }: UnsignedEvmTransaction): Promise<string | null> {
      try {
        await client.call({ account: from as Hex, to: to as Hex, data: data as Hex, value: BigInt(value) });
        return null;
      } catch (error) {
        if (isReverted(error)) return (error as BaseError).shortMessage.split('\n', 1)[0] ?? 'execution reverted';
        throw new EvmSilence(`the node of the EVM chain gives no answer: ${describeSilence(error)}`);
      }
    },
  };
}

/** Wraps requests to the node: each returns an answer or throws `EvmSilence` after calling `onFailure`. */
function questionsTo(onFailure: EvmChainOptions['onFailure']) {
  async function asked<Value>(question: () => Promise<Value>): Promise<Value> {
    try {
      return await question();
    } catch (error) {
      const words = describeSilence(error);
      onFailure?.(words);
      throw new EvmSilence(`the node of the EVM chain gives no answer: ${words}`);
    }
  }

  /** Returns the answer, or null if the node says that there is none. */
  async function found<Value>(question: () => Promise<Value>): Promise<Value | null> {
    return asked(async () => {
      try {
        return await question();
      } catch (error) {
        if (error instanceof TransactionNotFoundError || error instanceof TransactionReceiptNotFoundError) return null;
        throw error;
      }
    });
  }

  return { asked, found };
}

const olderWords = (block: ChainHead, head: ChainHead): readonly string[] =>
  block.height < head.height && isOlder(block, head) ? [`it stands in block ${block.height}, which is older than the quote`] : [];

/** Returns the arrival made by an included transaction that pays this many base units. */
function arrivalIn(
  hash: string,
  { receipt, isFinal, block }: { readonly receipt: { readonly status: string }; readonly isFinal: boolean; readonly block: ChainHead },
  paid: bigint,
): ArrivalSighting {
  if (receipt.status === 'reverted' || paid <= 0n) return { state: isFinal ? 'failed' : 'none', hash, amount: null, block };
  return { state: isFinal ? 'final' : 'included', hash, amount: String(paid), block };
}

function toHead({ number, timestamp }: { readonly number: bigint; readonly timestamp: bigint }): ChainHead {
  return { height: Number(number), at: Number(timestamp) * 1_000 };
}

function isReverted(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    error.walk((cause) => (cause as { code?: unknown }).code === 3 || /revert/i.test(String((cause as Error).message))) !== null &&
    error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) === null
  );
}

/** Returns the reason of a failure without the node's address, which may contain a key. */
function describeSilence(error: unknown): string {
  return withoutAddress(error instanceof BaseError ? error.shortMessage : (error as Error).name);
}

function withoutAddress(text: string): string {
  return (text.replace(/https?:\/\/\S+/g, '<node>').split('\n', 1)[0] ?? 'unknown error').slice(0, 160);
}

/** Error texts with which a node rejects signed bytes for good. */
const REFUSED =
  /insufficient funds|intrinsic gas too low|exceeds block gas limit|invalid sender|invalid chain id|replacement transaction underpriced|nonce too low/i;

/** Returns the broadcast result from the node's answer to signed bytes. @throws EvmSilence if nothing was taken */
function readBroadcast(reply: Reply, signed: Hex): Broadcast {
  if (reply.kind === 'not_taken') throw new EvmSilence(`the node of the EVM chain takes no transaction: ${reply.error.message}`);
  if (reply.kind === 'lost') return { outcome: 'unknown', detail: reply.error.message };
  if (reply.kind === 'result') {
    if (reply.value === keccak256(signed)) return { outcome: 'sent' };
    return { outcome: 'unknown', detail: 'the node returned a hash that does not match the bytes' };
  }
  // Sending the same bytes again is harmless.
  if (/already known|already imported|known transaction/i.test(reply.message)) return { outcome: 'sent' };
  const said = REFUSED.exec(reply.message);
  return said === null
    ? { outcome: 'unknown', detail: `the node answered ${reply.code}: ${withoutAddress(reply.message)}` }
    : { outcome: 'refused', reason: said[0] };
}

function toReadTransaction(transaction: {
  chainId?: number | undefined;
  from: string;
  to: string | null;
  input: string;
  value: bigint;
  type: string;
}): ReadEvmTransaction {
  return {
    chainId: transaction.chainId ?? null,
    from: transaction.from,
    to: transaction.to,
    data: transaction.input,
    value: String(transaction.value),
    type: transaction.type,
  };
}

/** Returns the payments to an address in one token from the logs of one transaction, in base units. */
function paidTo(logs: readonly { address: string; data: Hex; topics: readonly Hex[] }[], token: string, recipient: string): bigint {
  let paid = 0n;
  for (const { address, data, topics } of logs) {
    if (getAddress(address) !== token) continue;
    try {
      const { eventName, args } = decodeEventLog({ abi: erc20Abi, data, topics: topics as [Hex, ...Hex[]] });
      if (eventName !== 'Transfer') continue;
      if (args.to === getAddress(recipient)) paid += args.value;
      if (args.from === getAddress(recipient)) paid -= args.value;
    } catch {
      // Other events of the token are skipped.
    }
  }
  return paid;
}

/** Parses signed bytes in canonical form and recovers the signer. Refuses with `malformed_transaction`. */
export async function readSignedEvm(raw: string): Promise<Outcome<SignedEvmTransaction>> {
  if (!/^0x([0-9a-f]{2})+$/.test(raw))
    return refuse('malformed_transaction', 'the signed transaction is no hexadecimal text in lower case with 0x before it');
  const serializedTransaction = raw as Hex;
  try {
    const read = parseTransaction(serializedTransaction);
    const from = await recoverTransactionAddress({ serializedTransaction: serializedTransaction as TransactionSerialized });
    return {
      ok: true,
      value: {
        hash: keccak256(serializedTransaction),
        chainId: read.chainId ?? null,
        from,
        to: read.to ?? null,
        data: read.data ?? '0x',
        value: String(read.value ?? 0n),
        type: read.type ?? 'legacy',
        nonce: read.nonce ?? 0,
      },
    };
  } catch (error) {
    return refuse('malformed_transaction', `the signed transaction cannot be read: ${describeSilence(error)}`);
  }
}
