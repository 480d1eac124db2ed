/**
 * Wallets of this browser, found by the wallet standard on the primary chain and EIP-6963 on the EVM chain. A wallet is asked for nothing
 * before a user chooses it, and its answers are untrusted.
 */
import type { WalletChallenge } from '../../../clients/typescript/src/index.ts';
import { createStore } from '../kit/store.ts';

export interface StandardAccount {
  readonly address: string;
  readonly publicKey: Uint8Array;
  readonly chains: readonly string[];
  readonly features: readonly string[];
}

export interface StandardWallet {
  readonly name: string;
  readonly chains: readonly string[];
  // Each feature has methods of its own.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly features: { readonly [feature: string]: any };
  readonly accounts: readonly StandardAccount[];
}

export interface EvmProvider {
  // oxlint-disable-next-line typescript/no-explicit-any
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<any>;
}

export interface SolanaWallet {
  readonly id: string;
  readonly name: string;
  readonly chain: 'spotchain';
  readonly wallet: StandardWallet;
}

export interface EvmWallet {
  readonly id: string;
  readonly name: string;
  readonly chain: 'evmvenue';
  readonly provider: EvmProvider;
}

export type BrowserWallet = SolanaWallet | EvmWallet;
export type Chain = BrowserWallet['chain'];

export interface EvmCall {
  readonly chainId: number;
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly value: string;
}

const CONNECT = 'standard:connect';
const SIGN_TRANSACTION = 'solana:signTransaction';
const SIGN_MESSAGE = 'solana:signMessage';
/** Length of an Ed25519 signature in bytes. */
const SIGNATURE_BYTES = 64;
const LOOK_MS = 1_000;
const LOOKS = 30;

/** Wallets that announced themselves. */
export const wallets = createStore<readonly BrowserWallet[]>([]);
let isLooking = false;

/** Asks the wallets of this browser to announce themselves, once. */
export function lookForWallets(): void {
  if (isLooking) return;
  isLooking = true;
  const api = Object.freeze({ register });
  addEventListener('wallet-standard:register-wallet', (event) => (event as CustomEvent).detail?.(api));
  addEventListener('eip6963:announceProvider', (event) => announced((event as CustomEvent).detail));
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }));
  dispatchEvent(new Event('eip6963:requestProvider'));
}

const without = (ids: readonly string[]): readonly BrowserWallet[] => wallets.get().filter(({ id }) => !ids.includes(id));

/** Adds wallets of the primary chain. @returns Removes them again. */
function register(...given: readonly StandardWallet[]): () => void {
  const usable = given
    .filter((wallet) => typeof wallet?.name === 'string' && CONNECT in (wallet.features ?? {}) && wallet.chains?.some(isSolana))
    .map((wallet) => ({ id: `standard ${wallet.name}`, name: wallet.name, chain: 'spotchain', wallet }) as const);
  const ids = usable.map(({ id }) => id);
  wallets.set([...without(ids), ...usable]);
  return () => wallets.set(without(ids));
}

const isSolana = (chain: string): boolean => chain.startsWith('solana:');

interface Announcement {
  readonly info?: { readonly uuid?: unknown; readonly name?: unknown };
  readonly provider?: EvmProvider;
}

function announced(detail: Announcement | undefined): void {
  const { info, provider } = detail ?? {};
  if (typeof info?.uuid !== 'string' || typeof info.name !== 'string' || typeof provider?.request !== 'function') return;
  wallets.set([...without([info.uuid]), { id: info.uuid, name: info.name, chain: 'evmvenue', provider }]);
}

/** Asks a wallet for its addresses. The wallet may ask its owner. */
export async function requestAddresses(wallet: BrowserWallet): Promise<readonly string[]> {
  if (wallet.chain === 'spotchain') return (await requestAccounts(wallet)).map(({ address }) => address);
  const given: unknown = await wallet.provider.request({ method: 'eth_requestAccounts' });
  return Array.isArray(given) ? given.filter((address) => typeof address === 'string') : [];
}

async function requestAccounts({ wallet }: SolanaWallet): Promise<readonly StandardAccount[]> {
  const given: unknown = (await wallet.features[CONNECT].connect())?.accounts;
  return Array.isArray(given) ? given.filter((account) => typeof account?.address === 'string' && Array.isArray(account.chains)) : [];
}

async function requestAccount(wallet: SolanaWallet, address: string, feature: string): Promise<StandardAccount> {
  if (!(feature in wallet.wallet.features)) throw new Error(`${wallet.name} does not support ${feature}`);
  const accounts = await requestAccounts(wallet);
  const account = accounts.find((one) => one.address === address);
  if (account !== undefined) return account;
  throw otherAccount(
    wallet,
    accounts.map((one) => one.address),
    address,
  );
}

const otherAccount = ({ name }: BrowserWallet, shown: readonly string[], address: string): Error =>
  new Error(`${name} shares ${shown.join(', ') || 'no account'}. Switch to ${address} in the wallet and try again.`);

/**
 * Has transactions of the primary chain signed but not sent. The wallet is asked once for all of them.
 * @returns The signed transactions, in the same order.
 * @throws Error if the wallet does not have the address, or returns fewer transactions.
 */
export async function signTransactions(
  wallet: SolanaWallet,
  address: string,
  transactions: readonly Uint8Array[],
): Promise<readonly Uint8Array[]> {
  const account = await requestAccount(wallet, address, SIGN_TRANSACTION);
  const chain = account.chains.find(isSolana);
  if (chain === undefined)
    throw new Error(
      `${wallet.name} has ${address} on ${account.chains.join(', ') || 'no chain'}, not on the primary chain. Switch the network in the wallet.`,
    );
  const inputs = transactions.map((transaction) => ({ account, transaction, chain }));
  const outputs = readList(await wallet.wallet.features[SIGN_TRANSACTION].signTransaction(...inputs));
  if (outputs.length !== transactions.length)
    throw new Error(`Not submitted: ${wallet.name} signed ${outputs.length} of ${transactions.length} transactions.`);
  return outputs.map((output) => readBytes(wallet, output?.['signedTransaction'], 'no signed transaction'));
}

/**
 * Has a text signed (Ed25519).
 * @returns The signature in base64.
 * @throws Error if the wallet signed another text, or returned no signature.
 */
export async function signText(wallet: SolanaWallet, address: string, text: string): Promise<string> {
  const account = await requestAccount(wallet, address, SIGN_MESSAGE);
  const message = new TextEncoder().encode(text);
  const [output] = readList(await wallet.wallet.features[SIGN_MESSAGE].signMessage({ account, message }));
  const signed = new TextDecoder().decode(readBytes(wallet, output?.['signedMessage'], 'no signed text'));
  if (signed !== text) throw new Error(`Not submitted: ${wallet.name} signed a different text: “${signed.slice(0, 200)}”.`);
  const signature = readBytes(wallet, output?.['signature'], 'no signature');
  if (signature.length === SIGNATURE_BYTES) return toBase64(signature);
  throw new Error(`Not submitted: ${wallet.name} returned ${signature.length} bytes that are no signature.`);
}

const readList = (outputs: unknown): readonly (Readonly<Record<string, unknown>> | undefined)[] => (Array.isArray(outputs) ? outputs : []);

/** @param lacks Description of a missing value, for the error. */
function readBytes({ name }: BrowserWallet, bytes: unknown, lacks: string): Uint8Array {
  if (bytes instanceof Uint8Array || Array.isArray(bytes)) return Uint8Array.from(bytes);
  throw new Error(`Not submitted: ${name} returned ${lacks}.`);
}

/**
 * Has typed data signed (EIP-712). The wallet shows its fields, and signs for the chain in the data.
 * @returns The signature in hexadecimal digits.
 */
export async function signTypedData(wallet: EvmWallet, address: string, typedData: NonNullable<WalletChallenge['typedData']>) {
  await assertShown(wallet, address);
  await switchToChain(wallet, typedData.domain.chainId);
  const signature: unknown = await wallet.provider.request({
    method: 'eth_signTypedData_v4',
    params: [address, JSON.stringify(typedData)],
  });
  if (typeof signature === 'string' && /^0x([0-9a-f]{2})+$/i.test(signature)) return signature;
  throw new Error(`Not submitted: ${wallet.name} returned no signature.`);
}

/**
 * Has a call signed and sent in one step, and verifies what was sent. Once it is sent, neither a page that was left nor a node that does not
 * answer costs its hash.
 * @param assertCurrent Throws if the call must not be sent anymore.
 * @returns The hash of the transaction.
 * @throws Error if the wallet sent another call.
 */
export async function sendCall(wallet: EvmWallet, call: EvmCall, assertCurrent: () => void): Promise<string> {
  await assertShown(wallet, call.from);
  const chainId = await switchToChain(wallet, call.chainId);
  assertCurrent();
  const { from, to, data, value } = call;
  const hash: string = await wallet.provider.request({
    method: 'eth_sendTransaction',
    params: [{ from, to, data, value: `0x${BigInt(value).toString(16)}`, chainId }],
  });
  const differences = await differencesSent(wallet, hash, call);
  if (differences.length === 0) return hash;
  throw new Error(
    `${wallet.name} sent a different transaction (${hash}): ${differences.join('; ')}. It was not recorded for this transfer.`,
  );
}

/**
 * Switches a wallet to a chain.
 * @returns The chain id as the wallet writes it.
 * @throws Error if the wallet stays on another chain.
 */
async function switchToChain({ name, provider }: EvmWallet, chainId: number): Promise<string> {
  const wanted = `0x${chainId.toString(16)}`;
  const current = async () => BigInt(await provider.request({ method: 'eth_chainId' }));
  if ((await current()) === BigInt(chainId)) return wanted;
  await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] });
  const stays = await current();
  if (stays === BigInt(chainId)) return wanted;
  throw new Error(`Not signed: ${name} is on chain ${stays}. Switch it to chain ${chainId} and try again.`);
}

/** Returns how the sent transaction differs from the call; empty if its node does not know it within half a minute. */
async function differencesSent({ provider }: EvmWallet, hash: string, call: EvmCall): Promise<readonly string[]> {
  const sent = await untilKnown(() => provider.request({ method: 'eth_getTransactionByHash', params: [hash] }), LOOKS);
  if (sent === null) return [];
  const fields = [
    // Nodes omit the chain only from the oldest type of transaction.
    ['chain', String(call.chainId), sent.chainId == null ? String(call.chainId) : BigInt(sent.chainId).toString()],
    ['sender', call.from.toLowerCase(), String(sent.from).toLowerCase()],
    ['recipient', call.to.toLowerCase(), String(sent.to).toLowerCase()],
    ['data', call.data.toLowerCase(), String(sent.input ?? sent.data).toLowerCase()],
    ['value', BigInt(call.value).toString(), BigInt(sent.value ?? 0).toString()],
  ] as const;
  return fields.flatMap(([name, asked, got]) => (asked === got ? [] : [`${name}: expected ${asked}, got ${got}`]));
}

/** Waits until a transaction is in a block. @throws Error if it failed. */
export async function mined({ provider }: EvmWallet, hash: string, signal: AbortSignal): Promise<void> {
  const receipt = await untilKnown(
    () => provider.request({ method: 'eth_getTransactionReceipt', params: [hash] }),
    Number.POSITIVE_INFINITY,
    signal,
  );
  if (BigInt(receipt?.status ?? 0) !== 1n) throw new Error(`Transaction ${hash} failed on chain.`);
}

/** Polls once a second until there is an answer. A refused poll is none. Returns null after the given number of polls. */
// Each method has another answer type.
// oxlint-disable-next-line typescript/no-explicit-any
async function untilKnown(ask: () => Promise<any>, looks: number, signal?: AbortSignal): Promise<any> {
  for (let look = 0; look < looks; look++) {
    // Polls one after the other.
    // oxlint-disable-next-line no-await-in-loop
    const answer = await ask().catch(() => null);
    if (answer !== null && answer !== undefined) return answer;
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    signal?.throwIfAborted();
  }
  return null;
}

async function assertShown(wallet: EvmWallet, address: string): Promise<void> {
  const shown = await requestAddresses(wallet);
  if (!shown.some((one) => one.toLowerCase() === address.toLowerCase())) throw otherAccount(wallet, shown, address);
}

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
