/** Types of the domain module `src/domain/solana/signed-elsewhere.ts`, which the service serves to pages. */
export interface TransactionContent {
  readonly feePayer: string;
  readonly signers: readonly string[];
  readonly sentences: readonly string[];
}
export function contentOf(bytes: Uint8Array): TransactionContent;
export function objectionTo(prepared: Uint8Array, signed: Uint8Array, signer: string): string | null;
