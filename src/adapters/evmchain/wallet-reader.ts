/** Reads the balances, nonce and code of an EVM address from a node, all at one block. See docs/reference/outside/evm-chain.md. */
import {
  BaseError,
  createPublicClient,
  defineChain,
  ExecutionRevertedError,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  HttpRequestError,
  http,
  type PublicClient,
  parseAbi,
  RpcRequestError,
  TimeoutError,
} from 'viem';
import type { Clock } from '../../../streams/clock/clock.ts';
import { type AccountKind, type ChainToken, type ChainWallet, toAmount } from '../../domain/identity/wallet.ts';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import { briefly } from '../brief-answers.ts';
import { checkedAddress } from './checked-address.ts';

/** Contract that batches reads into one call, at the same address on nearly every chain. */
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
const NATIVE = { name: 'Ether', symbol: 'ETH', decimals: 18 } as const;
/** Timeout in milliseconds, because a person waits for it. A slower node counts as unavailable. */
const TIMEOUT_MS = 4_000;
const DELEGATION = '0xef0100';
const CONTRACT_WALLET_ABI = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
/** Return value of a contract that accepts a signature (ERC-1271), 32 bytes. */
const TAKEN = `0x1626ba7e${'0'.repeat(56)}`;
/** Maximum decimals of a token; more indicate a broken or hostile contract. */
const MAX_DECIMALS = 36;

export interface TokenListing {
  readonly symbol: string;
  readonly contract: `0x${string}`;
}

interface WalletReaderOptions {
  /** JSON-RPC address of the node. It may contain a key and is never part of a message. */
  readonly url: string;
  readonly chainId: number;
  readonly tokens: readonly TokenListing[];
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly timeoutMs?: number;
  /**
   * Receives the reason of every unanswered read: `timeout`, `unreachable`, `http_<status>`, `rpc_<code>`, `malformed` or `other_chain`.
   */
  readonly onFailure?: (reason: string) => void;
}

/** Creates the reader. Reads are batched into few requests and not cached. */
export function createWalletReader(options: WalletReaderOptions) {
  const { chainId, clock } = options;
  const tokens = options.tokens.map(({ symbol, contract }) => ({ symbol, contract: getAddress(contract.toLowerCase()) }));
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: NATIVE,
    rpcUrls: { default: { http: [options.url] } },
    contracts: { multicall3: { address: MULTICALL3 } },
  });
  const client: PublicClient = createPublicClient({
    chain,
    transport: http(options.url, {
      batch: { wait: 5 },
      timeout: options.timeoutMs ?? TIMEOUT_MS,
      retryCount: 1,
      fetchOptions: { redirect: 'error' },
    }),
  });

  /** Counts a failure of the node and returns the refusal. */
  function away(error: unknown): Outcome<never> {
    options.onFailure?.(nameFailure(error));
    return refuse('unavailable', `the node of the EVM chain did not answer: ${describeReason(error)}`);
  }

  function otherChain(actual: number): Outcome<never> {
    options.onFailure?.('other_chain');
    return refuse('unavailable', `the node is of chain ${actual}, and the settings say ${chainId}`);
  }

  /**
   * Returns true if the contract at an address accepts a signature of a hash now (ERC-1271); false if there is no contract. Refuses with
   * `unavailable`.
   */
  async function takesSignature(address: string, hash: Hex, signature: Hex): Promise<Outcome<boolean>> {
    const data = encodeFunctionData({ abi: CONTRACT_WALLET_ABI, args: [hash, signature] });
    try {
      const actual = await client.getChainId();
      if (actual !== chainId) return otherChain(actual);
      const { data: returned } = await client.call({ to: address as Hex, data });
      return { ok: true, value: returned?.toLowerCase() === TAKEN };
    } catch (error) {
      const isReverted = error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError) !== null;
      return isReverted ? { ok: true, value: false } : away(error);
    }
  }

  return {
    takesSignature,
    /**
     * Reads a wallet. `address` comes from `checkedAddress`. Refuses with `unavailable` if the node does not answer correctly or serves
     * another chain.
     */
    async read(address: string): Promise<Outcome<ChainWallet>> {
      const account = address as `0x${string}`;
      try {
        const [actual, block] = await Promise.all([client.getChainId(), client.getBlock({ blockTag: 'latest' })]);
        if (actual !== chainId) return otherChain(actual);
        const { number: blockNumber } = block;
        const [native, nonce, code, read] = await Promise.all([
          client.getBalance({ address: account, blockNumber }),
          client.getTransactionCount({ address: account, blockNumber }),
          client.getCode({ address: account, blockNumber }),
          readTokens(client, account, tokens, blockNumber),
        ]);
        return {
          ok: true,
          value: {
            address,
            chainId,
            kind: toAccountKind(code),
            nonce,
            block: { number: blockNumber.toString(), hash: block.hash, at: Number(block.timestamp) * 1_000 },
            fetchedAt: clock.now(),
            native: { symbol: NATIVE.symbol, contract: null, decimals: NATIVE.decimals, ...toBalance(native, NATIVE.decimals) },
            ...read,
          },
        };
      } catch (error) {
        return away(error);
      }
    },
  };
}

function toAccountKind(code: string | undefined): AccountKind {
  if (code === undefined || code === '0x') return 'account';
  return code.toLowerCase().startsWith(DELEGATION) ? 'delegated' : 'contract';
}

function toBalance(balance: bigint, decimals: number): { readonly balance: string; readonly amount: string } {
  return { balance: balance.toString(), amount: toAmount(balance, decimals) };
}

type TokenReads = Pick<ChainWallet, 'tokens' | 'unread'>;

/** Reads balance and decimals of every token: in one call, or in one call each if the chain has no multicall contract. */
async function readTokens(
  client: PublicClient,
  account: `0x${string}`,
  tokens: readonly TokenListing[],
  blockNumber: bigint,
): Promise<TokenReads> {
  if (tokens.length === 0) return { tokens: [], unread: [] };
  const contracts = tokens.flatMap(({ contract }) => [
    { address: contract, abi: erc20Abi, functionName: 'balanceOf' as const, args: [account] as const },
    { address: contract, abi: erc20Abi, functionName: 'decimals' as const },
  ]);
  let results: readonly { readonly status: string; readonly result?: unknown; readonly error?: unknown }[] = await client.multicall({
    contracts,
    blockNumber,
    allowFailure: true,
  });
  if (results.every(({ status }) => status === 'failure')) {
    results = await Promise.all(
      contracts.map(async (contract) => {
        try {
          return { status: 'success', result: await client.readContract({ ...contract, blockNumber }) };
        } catch (error) {
          return { status: 'failure', error };
        }
      }),
    );
  }
  const read: ChainToken[] = [];
  const unread: { symbol: string; contract: string; why: string }[] = [];
  for (const [index, { symbol, contract }] of tokens.entries()) {
    const [balance, decimals] = [results[index * 2], results[index * 2 + 1]];
    const places = decimals?.result;
    if (typeof balance?.result !== 'bigint' || typeof places !== 'number' || places > MAX_DECIMALS) {
      unread.push({ symbol, contract, why: describeReason(balance?.error ?? decimals?.error ?? new Error('the contract is not a token')) });
    } else read.push({ symbol, contract, decimals: places, ...toBalance(balance.result, places) });
  }
  return { tokens: read, unread };
}

/** Returns the name under which a failure is counted. */
function nameFailure(error: unknown): string {
  const root =
    error instanceof BaseError
      ? error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError || cause instanceof RpcRequestError)
      : null;
  if (root instanceof TimeoutError) return 'timeout';
  if (root instanceof RpcRequestError) return `rpc_${root.code}`;
  if (!(root instanceof HttpRequestError)) return 'malformed';
  if (root.status !== undefined) return `http_${root.status}`;
  // An answer that is not JSON is still an answer.
  return root.cause instanceof SyntaxError ? 'malformed' : 'unreachable';
}

/** Returns the reason of a failure without the node's address, which may contain a key. */
function describeReason(error: unknown): string {
  const { shortMessage, name, details } = error as { shortMessage?: unknown; name?: unknown; details?: unknown };
  const text = typeof shortMessage === 'string' ? shortMessage : typeof name === 'string' ? name : 'unknown error';
  const more = typeof details === 'string' && !text.includes(details) ? `: ${details}` : '';
  return (
    `${text}${more}`
      .replace(/https?:\/\/\S+/g, '<node>')
      .split('\n', 1)[0]
      ?.slice(0, 160) ?? 'unknown error'
  );
}

const CACHE_MS = 5_000;

/** Creates the reads, once per process. */
export function createChainWalletReads(options: Parameters<typeof createWalletReader>[0]) {
  const chain = createWalletReader(options);
  const balances = briefly<ChainWallet>(options.clock, CACHE_MS);
  return {
    async read(text: string): Promise<Outcome<ChainWallet>> {
      const address = checkedAddress(text);
      return address.ok ? balances(address.value, () => chain.read(address.value)) : address;
    },
  };
}

/** Reads of balances on the EVM chain at one block. */
export type ChainWalletReads = ReturnType<typeof createChainWalletReads>;
