/** Wallets whose owners have proved them by a signature. Ownership permits nothing by itself: it only names whose a wallet is. */
import { isAddress } from './solana/base58.ts';
import { type EpochMs, isoTime } from './time.ts';

/** Which chain an address is of: the primary chain's are base58, those of the EVM chain hexadecimal. */
export type WalletChain = 'spotchain' | 'evmvenue';

export interface LinkedWallet {
  readonly id: string;
  readonly chain: WalletChain;
  /** With its checksum where it is of the EVM chain. */
  readonly address: string;
  readonly label: string | null;
  readonly provedBy: string;
  readonly provedAt: EpochMs;
}

/** How long a text may wait for its signature. */
export const WALLET_CHALLENGE_MS = 10 * 60_000;
/** Characters of a label. */
export const LONGEST_LABEL = 60;

/** The chain that an address has the form of; null where it has none of them. */
export function chainOfAddress(address: string): WalletChain | null {
  if (/^0x[0-9a-fA-F]{40}$/.test(address)) return 'evmvenue';
  return isAddress(address) ? 'spotchain' : null;
}

export interface WalletChallenge {
  readonly address: string;
  readonly text: string;
  readonly issuedAt: EpochMs;
}

/** What the owner signs, as UTF-8: letters, so that it can be no transaction. The nonce makes every text another one. */
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
