/** Whether the owner of a wallet has signed a text. */
import { fromBase58, isAddress } from '../../domain/solana/base58.ts';
import { fromBase64 } from '../../domain/solana/verify.ts';
import { verifyEd25519 } from '../solana/ed25519.ts';

/** True where the base64 signature is the wallet's under the text as UTF-8; false too of what is no address or no signature. */
export function isTextSigned(wallet: string, text: string, signature: string): boolean {
  const bytes = fromBase64(signature);
  if (bytes === null || !isAddress(wallet)) return false;
  return verifyEd25519(bytes, new TextEncoder().encode(text), fromBase58(wallet) as Uint8Array);
}
