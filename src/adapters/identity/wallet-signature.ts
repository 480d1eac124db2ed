/** Verification that the owner of a wallet has signed a text. */
import { type Hex, hashMessage, hashTypedData, recoverAddress, type TypedDataDefinition } from 'viem';
import { walletTypedData } from '../../domain/identity/linked-wallet.ts';
import { type Outcome } from '../../domain/values/refusal.ts';
import { fromBase58, isAddress } from '../../domain/solana/base58.ts';
import { fromBase64 } from '../../domain/solana/verify.ts';
import { verifyEd25519 } from '../solana/ed25519.ts';

/** Returns true if the base64 signature is the wallet's over the UTF-8 text; false also for a malformed address or signature. */
export function isTextSigned(wallet: string, text: string, signature: string): boolean {
  const bytes = fromBase64(signature);
  if (bytes === null || !isAddress(wallet)) return false;
  return verifyEd25519(bytes, new TextEncoder().encode(text), fromBase58(wallet) as Uint8Array);
}

/** Asks a contract on the EVM chain whether it accepts a signature of a hash. */
type TakesSignature = (address: string, hash: Hex, signature: Hex) => Promise<Outcome<boolean>>;

/** Maximum bytes of a signature. A contract may require several signatures in one. */
const MOST_SIGNATURE_BYTES = 2_048;

/** Reads of EVM wallets. */
export interface EvmWallets {
  readonly chainId: number;
  /** Checks signatures of wallets that are contracts. */
  readonly takesSignature: TakesSignature;
}

/**
 * Verifies that the owner of an address on either chain signed a text. On the primary chain: 64 bytes of Ed25519 in base64 or base58. On
 * the EVM chain, over the text as a personal message (EIP-191) or over its fields as typed data for that chain (EIP-712): 65 bytes of the
 * address's own key, or a signature that the contract at the address accepts (ERC-1271). Refuses with `unavailable` if the contract must be queried and no node answers.
 */
export async function isWalletTextSigned(address: string, text: string, signature: string, evm: EvmWallets): Promise<Outcome<boolean>> {
  if (!address.startsWith('0x')) {
    const bytes = fromBase58(signature);
    return { ok: true, value: isTextSigned(address, text, bytes?.length === 64 ? Buffer.from(bytes).toString('base64') : signature) };
  }
  if (!/^0x([0-9a-fA-F]{2})+$/.test(signature) || signature.length > 2 + 2 * MOST_SIGNATURE_BYTES) return { ok: true, value: false };
  const hashes = [hashTypedData(walletTypedData(text, evm.chainId) as TypedDataDefinition), hashMessage(text)];
  for (const hash of hashes) if (await isOwnKey(address, hash, signature as Hex)) return { ok: true, value: true };
  for (const hash of hashes) {
    const taken = await evm.takesSignature(address, hash, signature as Hex);
    if (!taken.ok || taken.value) return taken;
  }
  return { ok: true, value: false };
}

async function isOwnKey(address: string, hash: Hex, signature: Hex): Promise<boolean> {
  if (signature.length !== 132) return false;
  try {
    return (await recoverAddress({ hash, signature })).toLowerCase() === address.toLowerCase();
  } catch {
    // The numbers are not a point on the curve.
    return false;
  }
}
