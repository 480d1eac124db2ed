/** Whether the owner of a wallet has signed a text. */
import { type Hex, recoverMessageAddress } from 'viem';
import { fromBase58, isAddress } from '../../domain/solana/base58.ts';
import { fromBase64 } from '../../domain/solana/verify.ts';
import { verifyEd25519 } from '../solana/ed25519.ts';

/** True where the base64 signature is the wallet's under the text as UTF-8; false too of what is no address or no signature. */
export function isTextSigned(wallet: string, text: string, signature: string): boolean {
  const bytes = fromBase64(signature);
  if (bytes === null || !isAddress(wallet)) return false;
  return verifyEd25519(bytes, new TextEncoder().encode(text), fromBase58(wallet) as Uint8Array);
}

/**
 * True where the signature is the owner's of an address of either chain: on the EVM chain 65 bytes over the text as a
 * personal message (EIP-191), on the primary chain 64 bytes of Ed25519 in base64 or base58.
 */
export async function isWalletTextSigned(address: string, text: string, signature: string): Promise<boolean> {
  if (!address.startsWith('0x')) {
    const bytes = fromBase58(signature);
    return isTextSigned(address, text, bytes?.length === 64 ? Buffer.from(bytes).toString('base64') : signature);
  }
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) return false;
  try {
    return (await recoverMessageAddress({ message: text, signature: signature as Hex })).toLowerCase() === address.toLowerCase();
  } catch {
    // Numbers that are no point of the curve.
    return false;
  }
}
