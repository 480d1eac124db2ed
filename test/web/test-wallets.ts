/** Wallets for pages: they announce themselves by their chains' standards and sign with real keys, which no page sees. */

import { expect } from 'vitest';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { payload } from '../api/api-under-test.ts';
import type { Client } from '../journeys/running-service.ts';
import { sign } from 'node:crypto';
import { type Keypair, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import type { Page } from 'playwright-core';
import { createPublicClient, type Hex, http, type TypedDataDefinition } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { LIGHTHOUSE } from '../domain/solana/honest-transactions.ts';

export interface TestWallet {
  /** Behaviour at the next request. `guards`: inserts an instruction of its own, as some wallets do; `alters`: changes one. */
  behaviour:
    | 'honest'
    | 'guards'
    | 'alters'
    /** Is locked and shows no account. */
    | 'disconnected'
    /** Has the account on another network only. */
    | 'other_network'
    /** Returns its input without a signature. */
    | 'leaves_unsigned'
    /** Returns bytes that are no transaction. */
    | 'gives_nonsense'
    /** Returns nothing. */
    | 'gives_nothing'
    /** Signs, and returns fewer than requested. */
    | 'gives_fewer'
    /** Signs typed data with another statement. */
    | 'signs_other_data'
    | 'declines'
    | 'signs_other_text'
    | 'sends_elsewhere'
    | 'shows_other_account'
    | 'stays_elsewhere';
  /** Requests to sign, in order. */
  readonly asked: string[];
}

/** Adds a wallet of the primary chain by the wallet standard. Call it before the page is opened. */
export async function standardWallet(page: Page, name: string, key: Keypair): Promise<TestWallet> {
  const wallet: TestWallet = { behaviour: 'honest', asked: [] };
  await page.exposeFunction('standardWalletSigns', (kind: 'account' | 'transaction' | 'message', base64: string) => {
    if (kind === 'account') return accountOf(wallet, key);
    wallet.asked.push(kind);
    if (wallet.behaviour === 'declines') throw new Error('User rejected the request.');
    const bytes = Buffer.from(base64, 'base64');
    if (wallet.behaviour === 'gives_nothing') return {};
    if (wallet.behaviour === 'gives_fewer') return { isLeftOut: true };
    if (kind === 'message') return signedText(wallet, key, bytes);
    if (wallet.behaviour === 'leaves_unsigned') return { transaction: base64 };
    if (wallet.behaviour === 'gives_nonsense') return { transaction: Buffer.from('no transaction').toString('base64') };
    const transaction = VersionedTransaction.deserialize(bytes);
    if (wallet.behaviour === 'guards' || wallet.behaviour === 'alters') changed(transaction, wallet.behaviour);
    transaction.sign([key]);
    return { transaction: Buffer.from(transaction.serialize()).toString('base64') };
  });
  await page.addInitScript(STANDARD_WALLET, { name, publicKey: [...key.publicKey.toBytes()] });
  return wallet;
}

/** Returns a text with its signature. An unsigned one has none, and nonsense is shorter than a signature. */
function signedText({ behaviour }: TestWallet, key: Keypair, text: Buffer): { readonly message: string; readonly signature?: string } {
  const message = behaviour === 'signs_other_text' ? Buffer.from('I give everything away.') : text;
  const told = { message: message.toString('base64') };
  if (behaviour === 'leaves_unsigned') return told;
  const signature = behaviour === 'gives_nonsense' ? Buffer.from('no signature') : ed25519(key, message);
  return { ...told, signature: signature.toString('base64') };
}

/** Changes a message: adds an instruction of the wallet, or changes the last byte of the first one's data. */
function changed(transaction: VersionedTransaction, how: 'guards' | 'alters'): void {
  const { message: given } = transaction;
  if (how === 'alters' && given.version !== 'legacy') {
    // Its accounts may be in lookup tables, without which it cannot be decoded.
    const [first] = given.compiledInstructions;
    if (first !== undefined) first.data = altered(first.data);
    return;
  }
  const message = TransactionMessage.decompile(given);
  const [first] = message.instructions;
  if (how === 'guards') message.instructions.push(new TransactionInstruction({ programId: LIGHTHOUSE, keys: [], data: Buffer.from([1]) }));
  else if (first !== undefined) first.data = Buffer.from(altered(first.data));
  const compiled = given.version === 'legacy' ? message.compileToLegacyMessage() : message.compileToV0Message();
  transaction.message = compiled;
  transaction.signatures = Array.from({ length: compiled.header.numRequiredSignatures }, () => new Uint8Array(64));
}

function altered(data: Uint8Array): Uint8Array {
  return data.map((byte, place) => (place === data.length - 1 ? byte ^ 1 : byte));
}

/** Returns the account that it shows when connected. */
function accountOf({ behaviour }: TestWallet, key: Keypair): { readonly address: string | null; readonly chains: readonly string[] } {
  const address = behaviour === 'shows_other_account' ? LIGHTHOUSE : key.publicKey;
  return {
    address: behaviour === 'disconnected' ? null : address.toBase58(),
    chains: [behaviour === 'other_network' ? 'aptos:mainnet' : 'solana:localnet'],
  };
}

/** Signs with Ed25519 by Node, independent of the service's code. */
function ed25519(key: Keypair, message: Uint8Array): Buffer {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), key.secretKey.subarray(0, 32)]);
  return sign(null, message, { key: pkcs8, format: 'der', type: 'pkcs8' });
}

/** In the page: what `registerWallet` of the standard does, and the three used features. */
const STANDARD_WALLET = ({ name, publicKey }: { name: string; publicKey: number[] }): void => {
  const page = globalThis as never as EventTarget & {
    standardWalletSigns(
      kind: string,
      base64: string,
    ): Promise<{
      address: string | null;
      chains: string[];
      transaction?: string;
      isLeftOut?: boolean;
      message?: string;
      signature?: string;
    }>;
    btoa(text: string): string;
    atob(text: string): string;
  };
  const base64 = (bytes: Uint8Array) => page.btoa(String.fromCharCode(...bytes));
  const bytes = (text: string) => Uint8Array.from(page.atob(text), (letter) => letter.charCodeAt(0));
  const chains = ['solana:localnet'];
  const account = { publicKey: Uint8Array.from(publicKey), chains, features: ['solana:signTransaction', 'solana:signMessage'] };
  const wallet = {
    version: '1.0.0',
    name,
    icon: 'data:image/svg+xml;base64,PHN2Zy8+',
    chains,
    accounts: [],
    features: {
      'standard:connect': {
        version: '1.0.0',
        connect: async () => {
          const { address, chains: held } = await page.standardWalletSigns('account', '');
          return { accounts: address === null ? [] : [{ ...account, address, chains: held }] };
        },
      },
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        signTransaction: async (...inputs: { transaction: Uint8Array }[]) => {
          const answers = await Promise.all(inputs.map(({ transaction }) => page.standardWalletSigns('transaction', base64(transaction))));
          return answers
            .filter(({ isLeftOut }) => isLeftOut !== true)
            .map(({ transaction }) => (transaction === undefined ? undefined : { signedTransaction: bytes(transaction) }));
        },
      },
      'solana:signMessage': {
        version: '1.0.0',
        signMessage: async (...inputs: { message: Uint8Array }[]) => {
          const answers = await Promise.all(inputs.map(({ message }) => page.standardWalletSigns('message', base64(message))));
          return answers
            .filter(({ isLeftOut }) => isLeftOut !== true)
            .map(({ message, signature }) => ({
              signedMessage: message === undefined ? undefined : bytes(message),
              signature: signature === undefined ? undefined : bytes(signature),
            }));
        },
      },
    },
  };
  const callback = ({ register }: { register(wallet: unknown): void }) => register(wallet);
  page.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
  page.addEventListener('wallet-standard:app-ready', (event) => callback((event as CustomEvent).detail));
};

/** Adds a wallet of the EVM chain by EIP-6963, whose transactions go to the node at `rpc`. Call it before the page is opened. */
export async function announcedWallet(page: Page, name: string, account: PrivateKeyAccount, rpc: string): Promise<TestWallet> {
  const wallet: TestWallet = { behaviour: 'honest', asked: [] };
  const node = createPublicClient({ transport: http(rpc) });
  let isConnected = false;
  const calls: { readonly [method: string]: (params: never) => Promise<unknown> } = {
    eth_requestAccounts: async () => {
      isConnected = true;
      return [account.address];
    },
    eth_chainId: async () => (wallet.behaviour === 'stays_elsewhere' ? '0x1' : `0x${(await node.getChainId()).toString(16)}`),
    wallet_switchEthereumChain: async () => null,
    eth_signTypedData_v4: async ([by, data]: [string, string]) => {
      if (!isConnected || by.toLowerCase() !== account.address.toLowerCase()) throw new Error('unauthorized');
      const { types, ...rest } = JSON.parse(data) as TypedDataDefinition;
      // Wallets derive the domain's type from its members.
      const { EIP712Domain: _, ...own } = types as Record<string, never>;
      const message = wallet.behaviour === 'signs_other_data' ? { ...rest.message, statement: 'I give everything away.' } : rest.message;
      return account.signTypedData({ ...rest, message, types: own } as never);
    },
    eth_sendTransaction: async ([{ to, data, value }]: [{ to: Hex; data: Hex; value: Hex }]) =>
      node.sendRawTransaction({
        serializedTransaction: await account.signTransaction({
          type: 'eip1559',
          chainId: await node.getChainId(),
          to,
          data: wallet.behaviour === 'sends_elsewhere' ? '0x' : data,
          value: BigInt(value),
          nonce: await node.getTransactionCount({ address: account.address }),
          gas: 300_000n,
          maxFeePerGas: 20_000_000n,
          maxPriorityFeePerGas: 0n,
        }),
      }),
  };
  await page.exposeFunction('announcedWalletDoes', async (method: string, params: never) => {
    wallet.asked.push(method);
    if (wallet.behaviour === 'declines') throw new Error('User rejected the request.');
    return calls[method] === undefined ? node.request({ method, params } as never) : calls[method](params);
  });
  await page.addInitScript(
    (info) => {
      const page = globalThis as never as EventTarget & { announcedWalletDoes(method: string, params: unknown): Promise<unknown> };
      const provider = {
        request: ({ method, params }: { method: string; params?: unknown }) => page.announcedWalletDoes(method, params ?? []),
      };
      const announce = () => page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }));
      page.addEventListener('eip6963:requestProvider', announce);
      announce();
    },
    { uuid: '0f7b1e7e-3c5c-4a43-9bd6-5a2f2a6b1c11', name, icon: 'data:image/svg+xml;base64,PHN2Zy8+', rdns: 'example.wallet' },
  );
  return wallet;
}

const PAYOUT = sandboxKey('terminal payout');

/** Publishes a strategy for 12.5 dollars as the member with the token `creator`. Returns its listing's id. */
export async function publishStrategy(service: Client, creator: string, name: string): Promise<string> {
  const { address } = PAYOUT;
  const { body } = await service.post('/v1/wallets/challenge', { address }, creator);
  const signature = Buffer.from(PAYOUT.sign(Buffer.from(body.text))).toString('base64');
  expect([201, 409]).toContain((await service.post('/v1/wallets', { address, signature }, creator)).status);
  const agent = await service.post('/v1/agents', payload({ name }), creator);
  const wish = { agentId: agent.body.id, manifestVersion: 1, priceUsd: '12.5', payoutWallet: address, categories: ['ebbs'] };
  const listed = await service.post('/v1/marketplace', wish, creator);
  expect(listed.status, listed.text).toBe(201);
  return listed.body.id;
}
