/** Wallets whose owners have proved them by a signature. Ownership permits nothing by itself: it only names whose a wallet is. */
import { isAddress } from '../solana/base58.ts';
import { type EpochMs, isoTime } from '../values/time.ts';

/** Chain of an address: the primary chain's are base58, those of the EVM chain hexadecimal. */
export type WalletChain = 'spotchain' | 'evmvenue';

export interface LinkedWallet {
  readonly id: string;
  readonly chain: WalletChain;
  /** Address of the wallet, with its checksum on the EVM chain. */
  readonly address: string;
  readonly label: string | null;
  readonly provedBy: string;
  readonly provedAt: EpochMs;
}

/** Maximum wait of a text for its signature. */
export const WALLET_CHALLENGE_MS = 10 * 60_000;
/** Characters of a label. */
export const LONGEST_LABEL = 60;

/** Returns the chain whose form an address has, or null. */
export function chainOfAddress(address: string): WalletChain | null {
  if (/^0x[0-9a-fA-F]{40}$/.test(address)) return 'evmvenue';
  return isAddress(address) ? 'spotchain' : null;
}

export interface WalletChallenge {
  readonly address: string;
  readonly text: string;
  readonly issuedAt: EpochMs;
}

/** A challenge as it is issued: for an address of the EVM chain also as typed data with the same fields. */
export interface IssuedWalletChallenge extends WalletChallenge {
  readonly typedData: WalletTypedData | null;
}

/** Typed data in the sense of EIP-712: a wallet shows its fields and signs for one chain. Plain JSON. */
export interface WalletTypedData {
  readonly domain: { readonly name: string; readonly version: string; readonly chainId: number };
  readonly types: { readonly [type: string]: readonly { readonly name: string; readonly type: string }[] };
  readonly primaryType: 'WalletProof';
  readonly message: { readonly [field: string]: string };
}

/** The fields of the typed data, each with the word that the text has for it; the statement stands alone there. */
const TYPED_FIELDS = [
  ['organization', 'string', 'Organization'],
  ['member', 'string', 'Member'],
  ['wallet', 'address', 'Wallet'],
  ['issued', 'string', 'Issued'],
  ['nonce', 'string', 'Nonce'],
] as const;
const STATEMENT_LINE = 2;

/** The fields of a text of `walletText` as typed data for a chain: the text says everything, so that nothing else is kept. */
export function walletTypedData(text: string, chainId: number): WalletTypedData {
  const lines = text.split('\n');
  const valueOf = (word: string): string => lines.find((line) => line.startsWith(`${word}: `))?.slice(word.length + 2) ?? '';
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
      ...Object.fromEntries(TYPED_FIELDS.map(([name, , word]) => [name, valueOf(word)])),
    },
  };
}

/** Returns the text that the owner signs, as UTF-8. It is letters, so it cannot be a transaction. The nonce makes every text unique. */
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
