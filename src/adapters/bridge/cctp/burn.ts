/**
 * The burn of CCTP v2 on both chains: the EVM call, and the instruction of the primary chain's program.
 * See docs/reference/outside/cctp.md.
 */
import { createHash } from 'node:crypto';
import {
  type AccountMeta,
  ComputeBudgetProgram,
  type Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { encodeFunctionData, getAddress, type Hex } from 'viem';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM } from '../../../domain/solana/programs.ts';
import { TOKEN_MESSENGER_ABI, wide } from '../evm-calls.ts';

/** The same address on every EVM chain. */
export const TOKEN_MESSENGER = '0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d';
export const TOKEN_MESSENGER_PROGRAM = 'CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdUMQe';
export const MESSAGE_TRANSMITTER_PROGRAM = 'CCTPV2Sm4AdWt5296sk4P66VBZ7bEhcARwFaaS9YPbeC';

/** Circle's own numbers of chains. */
export const SOLANA_DOMAIN = 5;
export const EVM_DOMAINS: Readonly<Record<number, number>> = {
  1: 0,
  43_114: 1,
  10: 2,
  42_161: 3,
  8_453: 6,
  137: 7,
  130: 10,
  59_144: 11,
  146: 13,
};

/** How final a burn has to be before it is attested. */
export const FAST_FINALITY = 1_000;
export const STANDARD_FINALITY = 2_000;

/** Asks Circle to mint on the destination chain itself: `cctp-forward`, version 0, nothing more. */
export const FORWARD_HOOK: Hex = `0x${Buffer.from('cctp-forward').toString('hex').padEnd(64, '0')}`;

const ZERO: Hex = `0x${'0'.repeat(64)}`;
/** Units that a burn needs with its event account; what a wallet is charged for is its price times this. */
const BURN_UNITS = 250_000;

export interface BurnTerms {
  readonly amount: bigint;
  readonly maxFee: bigint;
  readonly finality: typeof FAST_FINALITY | typeof STANDARD_FINALITY;
  readonly domain: number;
}

/** The call of the EVM chain that burns for a token account of the primary chain. */
export function evmBurnData({ amount, maxFee, finality, domain }: BurnTerms, token: string, tokenAccount: string): Hex {
  const recipient: Hex = `0x${Buffer.from(new PublicKey(tokenAccount).toBytes()).toString('hex')}`;
  return encodeFunctionData({
    abi: TOKEN_MESSENGER_ABI,
    functionName: 'depositForBurnWithHook',
    args: [amount, domain, recipient, getAddress(token), ZERO, maxFee, finality, FORWARD_HOOK],
  });
}

/** The one token account of an owner that everybody can derive. */
export function tokenAccountOf(owner: string, mint: string): string {
  const seeds = [owner, TOKEN_PROGRAM, mint].map((address) => new PublicKey(address).toBytes());
  return derived(ASSOCIATED_TOKEN_PROGRAM, ...seeds).toBase58();
}

/**
 * The wire bytes of a burn on the primary chain for an EVM address. `event` holds the message that Circle reads; its key
 * signs this one transaction and is thrown away.
 */
export function solanaBurn(
  terms: BurnTerms,
  who: { readonly sender: string; readonly recipient: string; readonly mint: string },
  event: Keypair,
  recentBlockhash: string,
): Uint8Array {
  const payerKey = new PublicKey(who.sender);
  const instructions = [ComputeBudgetProgram.setComputeUnitLimit({ units: BURN_UNITS }), burnInstruction(terms, who, event.publicKey)];
  const transaction = new VersionedTransaction(new TransactionMessage({ payerKey, recentBlockhash, instructions }).compileToV0Message());
  transaction.sign([event]);
  return transaction.serialize();
}

/** First bytes of the program's instruction: the first eight of the hash of its name. */
export const BURN_DISCRIMINATOR = createHash('sha256').update('global:deposit_for_burn_with_hook').digest().subarray(0, 8);

function derived(program: string, ...seeds: readonly (string | Uint8Array)[]): PublicKey {
  const bytes = seeds.map((seed) => (typeof seed === 'string' ? Buffer.from(seed) : seed));
  return PublicKey.findProgramAddressSync(bytes, new PublicKey(program))[0];
}

function burnInstruction(
  { amount, maxFee, finality, domain }: BurnTerms,
  { sender, recipient, mint }: { readonly sender: string; readonly recipient: string; readonly mint: string },
  event: PublicKey,
): TransactionInstruction {
  const owner = new PublicKey(sender);
  const token = new PublicKey(mint);
  const programId = new PublicKey(TOKEN_MESSENGER_PROGRAM);
  const reads = (pubkey: PublicKey): AccountMeta => ({ pubkey, isSigner: false, isWritable: false });
  const writes = (pubkey: PublicKey, isSigner = false): AccountMeta => ({ pubkey, isSigner, isWritable: true });
  const hook = Buffer.from(FORWARD_HOOK.slice(2), 'hex');
  const data = Buffer.alloc(8 + 8 + 4 + 32 + 32 + 8 + 4 + 4);
  data.set(BURN_DISCRIMINATOR, 0);
  data.writeBigUInt64LE(amount, 8);
  data.writeUInt32LE(domain, 16);
  data.set(Buffer.from(wide(recipient).slice(2), 'hex'), 20);
  data.writeBigUInt64LE(maxFee, 84);
  data.writeUInt32LE(finality, 92);
  data.writeUInt32LE(hook.length, 96);
  return new TransactionInstruction({
    programId,
    keys: [
      { pubkey: owner, isSigner: true, isWritable: true },
      writes(owner, true),
      reads(derived(TOKEN_MESSENGER_PROGRAM, 'sender_authority')),
      writes(new PublicKey(tokenAccountOf(sender, mint))),
      reads(derived(TOKEN_MESSENGER_PROGRAM, 'denylist_account', owner.toBytes())),
      writes(derived(MESSAGE_TRANSMITTER_PROGRAM, 'message_transmitter')),
      reads(derived(TOKEN_MESSENGER_PROGRAM, 'token_messenger')),
      reads(derived(TOKEN_MESSENGER_PROGRAM, 'remote_token_messenger', String(domain))),
      reads(derived(TOKEN_MESSENGER_PROGRAM, 'token_minter')),
      writes(derived(TOKEN_MESSENGER_PROGRAM, 'local_token', token.toBytes())),
      writes(token),
      writes(event, true),
      reads(new PublicKey(MESSAGE_TRANSMITTER_PROGRAM)),
      reads(programId),
      reads(new PublicKey(TOKEN_PROGRAM)),
      reads(SystemProgram.programId),
      reads(derived(TOKEN_MESSENGER_PROGRAM, '__event_authority')),
      reads(programId),
    ],
    data: Buffer.concat([data, hook]),
  });
}
