/** The module of the domain `src/domain/solana/signed-elsewhere.ts`, as the service serves it to pages. */
export interface TransactionContent {
  readonly feePayer: string;
  readonly signers: readonly string[];
  readonly sentences: readonly string[];
}
export function contentOf(bytes: Uint8Array): TransactionContent;
export function objectionTo(prepared: Uint8Array, signed: Uint8Array, signer: string): string | null;
