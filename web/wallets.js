/**
 * The wallets of this browser, as they announce themselves: by the wallet standard on the primary chain, by EIP-6963 on
 * the EVM chain. Nothing is asked of a wallet before somebody chooses it.
 */

/** @typedef {{ readonly address: string, readonly publicKey: Uint8Array, readonly chains: readonly string[], readonly features: readonly string[] }} StandardAccount */
/** @typedef {{ readonly name: string, readonly chains: readonly string[], readonly features: { readonly [feature: string]: any }, readonly accounts: readonly StandardAccount[] }} StandardWallet */
/** @typedef {{ request(call: { readonly method: string, readonly params?: readonly unknown[] }): Promise<any> }} EvmProvider */
/** @typedef {{ readonly id: string, readonly name: string, readonly chain: 'spotchain', readonly wallet: StandardWallet }} SolanaWallet */
/** @typedef {{ readonly id: string, readonly name: string, readonly chain: 'evmvenue', readonly provider: EvmProvider }} EvmWallet */
/** @typedef {SolanaWallet | EvmWallet} Wallet */

const CONNECT = 'standard:connect';
const SIGN_TRANSACTION = 'solana:signTransaction';
const SIGN_MESSAGE = 'solana:signMessage';
const LOOK_MS = 1_000;
const LOOKS = 30;

/** @type {Map<string, Wallet>} */
const found = new Map();
/** @type {Set<() => void>} */
const listeners = new Set();
let isLooking = false;

/**
 * Follows the wallets of one chain, now and whenever another one announces itself.
 * @param {Wallet['chain']} chain
 * @param {(wallets: readonly Wallet[]) => void} onChange
 * @returns {() => void} Ends it.
 */
export function followWallets(chain, onChange) {
  const tell = () => onChange([...found.values()].filter((wallet) => wallet.chain === chain));
  listeners.add(tell);
  look();
  tell();
  return () => listeners.delete(tell);
}

function look() {
  if (isLooking) return;
  isLooking = true;
  const api = Object.freeze({ register });
  addEventListener('wallet-standard:register-wallet', (event) => /** @type {CustomEvent} */ (event).detail?.(api));
  addEventListener('eip6963:announceProvider', (event) => announced(/** @type {CustomEvent} */ (event).detail));
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }));
  dispatchEvent(new Event('eip6963:requestProvider'));
}

/** @param {...StandardWallet} wallets @returns {() => void} Takes them back. */
function register(...wallets) {
  const ids = wallets
    .filter(
      (wallet) =>
        typeof wallet?.name === 'string' &&
        CONNECT in (wallet.features ?? {}) &&
        wallet.chains?.some((chain) => chain.startsWith('solana:')),
    )
    .map((wallet) => {
      const id = `standard ${wallet.name}`;
      found.set(id, { id, name: wallet.name, chain: 'spotchain', wallet });
      return id;
    });
  tellAll();
  return () => {
    for (const id of ids) found.delete(id);
    tellAll();
  };
}

/** @param {{ readonly info?: { readonly uuid?: unknown, readonly name?: unknown }, readonly provider?: EvmProvider } | undefined} detail */
function announced(detail) {
  const { info, provider } = detail ?? {};
  if (typeof info?.uuid !== 'string' || typeof info.name !== 'string' || typeof provider?.request !== 'function') return;
  found.set(info.uuid, { id: info.uuid, name: info.name, chain: 'evmvenue', provider });
  tellAll();
}

function tellAll() {
  for (const listener of listeners) listener();
}

/**
 * Asks a wallet for its addresses; the wallet asks its owner.
 * @param {Wallet} wallet
 * @returns {Promise<readonly string[]>}
 */
export async function addressesOf(wallet) {
  if (wallet.chain === 'evmvenue') return wallet.provider.request({ method: 'eth_requestAccounts' });
  return (await accountsOf(wallet)).map(({ address }) => address);
}

/** @param {SolanaWallet} wallet @returns {Promise<readonly StandardAccount[]>} */
async function accountsOf({ wallet }) {
  return (await wallet.features[CONNECT].connect()).accounts;
}

/**
 * The account of an address.
 * @param {SolanaWallet} wallet @param {string} address @param {string} feature
 */
async function accountOf(wallet, address, feature) {
  if (!(feature in wallet.wallet.features)) throw new Error(`${wallet.name} does not support ${feature}`);
  const accounts = await accountsOf(wallet);
  const account = accounts.find((one) => one.address === address);
  if (account === undefined)
    throw new Error(
      `${wallet.name} shares ${accounts.map((one) => one.address).join(', ') || 'no account'}. Switch to ${address} in the wallet and try again.`,
    );
  return account;
}

/**
 * Has transactions of the primary chain signed, and not sent; the wallet is asked once for all of them.
 * @param {SolanaWallet} wallet @param {string} address @param {readonly Uint8Array[]} transactions
 * @returns {Promise<readonly Uint8Array[]>} In the same order.
 * @throws Error if the wallet does not show the address, or gives fewer back.
 */
export async function signTransactions(wallet, address, transactions) {
  const account = await accountOf(wallet, address, SIGN_TRANSACTION);
  const chain = account.chains.find((one) => one.startsWith('solana:'));
  if (chain === undefined)
    throw new Error(
      `${wallet.name} has ${address} on ${account.chains.join(', ') || 'no chain'}, not on the primary chain. Switch the network in the wallet.`,
    );
  const inputs = transactions.map((transaction) => ({ account, transaction, chain }));
  const outputs = listOf(await wallet.wallet.features[SIGN_TRANSACTION].signTransaction(...inputs));
  if (outputs.length !== transactions.length)
    throw new Error(`Not submitted: ${wallet.name} signed ${outputs.length} of ${transactions.length} transactions.`);
  return outputs.map((output) => bytesOf(wallet, output?.signedTransaction));
}

/**
 * Has a text signed by Ed25519.
 * @param {SolanaWallet} wallet @param {string} address @param {string} text
 * @returns {Promise<string>} Base64.
 * @throws Error if the wallet signed another text.
 */
export async function signText(wallet, address, text) {
  const account = await accountOf(wallet, address, SIGN_MESSAGE);
  const message = new TextEncoder().encode(text);
  const [output] = listOf(await wallet.wallet.features[SIGN_MESSAGE].signMessage({ account, message }));
  const signed = new TextDecoder().decode(bytesOf(wallet, output?.signedMessage));
  if (signed !== text) throw new Error(`Not submitted: ${wallet.name} signed a different text: “${signed.slice(0, 200)}”.`);
  return base64Of(bytesOf(wallet, output?.signature));
}

/** Returns a wallet's answer as a list. It is untrusted. @param {unknown} outputs @returns {readonly any[]} */
function listOf(outputs) {
  return Array.isArray(outputs) ? outputs : [];
}

/** @param {SolanaWallet} wallet @param {unknown} bytes @returns {Uint8Array} @throws Error if they are no bytes. */
function bytesOf({ name }, bytes) {
  if (!(bytes instanceof Uint8Array || Array.isArray(bytes))) throw new Error(`Not submitted: ${name} returned no signed transaction.`);
  return Uint8Array.from(bytes);
}

/**
 * Has typed data signed (EIP-712): the wallet shows its fields, and signs for the chain that they name.
 * @param {EvmWallet} wallet @param {string} address @param {import('./api.ts').WalletChallenge['typedData'] & {}} typedData
 * @returns {Promise<string>} Hexadecimal.
 */
export async function signTypedData(wallet, address, typedData) {
  await assertShown(wallet, address);
  await switchToChain(wallet, typedData.domain.chainId);
  const signature = await wallet.provider.request({ method: 'eth_signTypedData_v4', params: [address, JSON.stringify(typedData)] });
  if (typeof signature !== 'string' || !/^0x([0-9a-f]{2})+$/i.test(signature))
    throw new Error(`Not submitted: ${wallet.name} returned no signature.`);
  return signature;
}

/**
 * Has a call of the EVM chain signed and sent, which is what wallets of that chain do in one.
 * @param {EvmWallet} wallet
 * @param {{ readonly chainId: number, readonly from: string, readonly to: string, readonly data: string, readonly value: string }} call
 * @returns {Promise<string>} The hash of the transaction.
 */
export async function sendCall(wallet, { chainId, from, to, data, value }) {
  await assertShown(wallet, from);
  const wanted = await switchToChain(wallet, chainId);
  return wallet.provider.request({
    method: 'eth_sendTransaction',
    params: [{ from, to, data, value: `0x${BigInt(value).toString(16)}`, chainId: wanted }],
  });
}

/**
 * Leads a wallet to a chain.
 * @param {EvmWallet} wallet @param {number} chainId
 * @returns {Promise<string>} Its number as the wallet writes it.
 * @throws Error if the wallet stays on another one.
 */
async function switchToChain({ name, provider }, chainId) {
  const wanted = `0x${chainId.toString(16)}`;
  const stateText = async () => BigInt(await provider.request({ method: 'eth_chainId' }));
  if ((await stateText()) === BigInt(chainId)) return wanted;
  await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] });
  const stays = await stateText();
  if (stays !== BigInt(chainId)) throw new Error(`Not signed: ${name} is on chain ${stays}. Switch it to chain ${chainId} and try again.`);
  return wanted;
}

/**
 * Returns what a wallet has sent under a hash, where it differs from the call; empty if nothing does. A wallet that sends knows
 * its transaction soon; null if its node does not tell of it for half a minute.
 * @param {EvmWallet} wallet @param {string} hash
 * @param {{ readonly chainId: number, readonly from: string, readonly to: string, readonly data: string, readonly value: string }} call
 * @param {AbortSignal} signal
 * @returns {Promise<readonly string[] | null>}
 */
export async function differencesSent({ provider }, hash, call, signal) {
  const sent = await untilKnown(() => provider.request({ method: 'eth_getTransactionByHash', params: [hash] }), signal, LOOKS);
  if (sent === null) return null;
  const fields = /** @type {const} */ ([
    // Nodes leave the chain out of transactions of the oldest kind alone.
    ['chain', String(call.chainId), sent.chainId == null ? String(call.chainId) : BigInt(sent.chainId).toString()],
    ['sender', call.from.toLowerCase(), String(sent.from).toLowerCase()],
    ['recipient', call.to.toLowerCase(), String(sent.to).toLowerCase()],
    ['data', call.data.toLowerCase(), String(sent.input ?? sent.data).toLowerCase()],
    ['value', BigInt(call.value).toString(), BigInt(sent.value ?? 0).toString()],
  ]);
  return fields.flatMap(([name, asked, got]) => (asked === got ? [] : [`${name}: expected ${asked}, got ${got}`]));
}

/** Waits until a transaction is in a block. @param {EvmWallet} wallet @param {string} hash @param {AbortSignal} signal @throws Error if it failed there. */
export async function mined({ provider }, hash, signal) {
  const receipt = await untilKnown(() => provider.request({ method: 'eth_getTransactionReceipt', params: [hash] }), signal, Infinity);
  if (BigInt(receipt?.status ?? 0) !== 1n) throw new Error(`Transaction ${hash} failed on chain.`);
}

/**
 * Asks once a second until there is an answer; null if there is none after so many looks.
 * @param {() => Promise<any>} ask @param {AbortSignal} signal @param {number} looks
 */
async function untilKnown(ask, signal, looks) {
  for (let look = 0; look < looks; look++) {
    // Each look follows the one before it.
    // oxlint-disable-next-line no-await-in-loop
    const answer = await ask();
    if (answer !== null && answer !== undefined) return answer;
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    signal.throwIfAborted();
  }
  return null;
}

/** @param {EvmWallet} wallet @param {string} address */
async function assertShown(wallet, address) {
  const shown = await addressesOf(wallet);
  if (!shown.some((one) => one.toLowerCase() === address.toLowerCase()))
    throw new Error(`${wallet.name} shares ${shown.join(', ') || 'no account'}. Switch to ${address} in the wallet and try again.`);
}

/** @param {Uint8Array} bytes */
export function base64Of(bytes) {
  return btoa(String.fromCharCode(...bytes));
}

/** @param {string} text @returns {Uint8Array} */
export function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
