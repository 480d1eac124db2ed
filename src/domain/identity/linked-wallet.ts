/** Wallets that their owners have proved by a signature. Ownership permits nothing by itself: it only states whose a wallet is. */
import { isAddress } from '../solana/base58.ts';
import { type EpochMs, MINUTE_MS, isoTime } from '../values/time.ts';

/** Chains of addresses. Addresses of the primary chain are base58, those of the EVM chain hexadecimal. */
export const WALLET_CHAINS = ['spotchain', 'evmvenue'] as const;
export type WalletChain = (typeof WALLET_CHAINS)[number];

/** Time for which a text can be signed. */
export const WALLET_CHALLENGE_MS = 10 * MINUTE_MS;
/** Maximum characters of a label. */
export const LONGEST_LABEL = 60;

/** Returns the chain whose address form the text has, or null. */
export function chainOfAddress(address: string): WalletChain | null {
  if (/^0x[0-9a-fA-F]{40}$/.test(address)) return 'evmvenue';
  return isAddress(address) ? 'spotchain' : null;
}

export interface WalletChallenge {
  readonly address: string;
  readonly text: string;
  readonly issuedAt: EpochMs;
}

/** A challenge as issued. For an address of the EVM chain it includes typed data with the same fields. */
export interface IssuedWalletChallenge extends WalletChallenge {
  readonly typedData: WalletTypedData | null;
}

/** EIP-712 typed data: a wallet shows its fields and signs for one chain. Plain JSON. */
export interface WalletTypedData {
  readonly domain: { readonly name: string; readonly version: string; readonly chainId: number };
  readonly types: { readonly [type: string]: readonly { readonly name: string; readonly type: string }[] };
  readonly primaryType: 'WalletProof';
  readonly message: { readonly [field: string]: string };
}

/** Fields of the typed data, each with its word in the text, where the statement has none. */
const TYPED_FIELDS = [
  ['organization', 'string', 'Organization'],
  ['member', 'string', 'Member'],
  ['wallet', 'address', 'Wallet'],
  ['issued', 'string', 'Issued'],
  ['nonce', 'string', 'Nonce'],
] as const;
const STATEMENT_LINE = 2;

/** Returns the fields of a `walletText` as typed data for a chain. The text is complete, so nothing else is stored. */
export function walletTypedData(text: string, chainId: number): WalletTypedData {
  const lines = text.split('\n');
  const readLine = (word: string): string => lines.find((line) => line.startsWith(`${word}: `))?.slice(word.length + 2) ?? '';
  return {
    domain: { name: 'Sevengate', version: '1', chainId },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
      ],
      WalletProof: [{ name: 'statement', type: 'string' }, ...TYPED_FIELDS.map(([name, type]) => ({ name, type }))],
    },
    primaryType: 'WalletProof',
    message: {
      statement: lines[STATEMENT_LINE] ?? '',
      ...Object.fromEntries(TYPED_FIELDS.map(([name, , word]) => [name, readLine(word)])),
    },
  };
}

/**
 * Returns the text that the owner signs, as UTF-8. It consists of letters, so it cannot be a transaction. The nonce makes every text
 * unique.
 */
export function walletText(terms: {
  readonly orgId: string;
  readonly subject: string;
  readonly address: string;
  readonly issuedAt: EpochMs;
  readonly nonce: string;
}): string {
  return [
    'Sevengate wallet 1',
    '',
    'By signing this I prove that this wallet is mine. Signing moves nothing and permits nothing.',
    '',
    `Organization: ${terms.orgId}`,
    `Member: ${terms.subject}`,
    `Wallet: ${terms.address}`,
    `Issued: ${isoTime(terms.issuedAt)}`,
    `Nonce: ${terms.nonce}`,
  ].join('\n');
}
