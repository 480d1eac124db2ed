/** Burn calls of CCTP v2: the EVM call and the instruction of the primary chain. See docs/reference/outside/cctp.md. */
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
import { concat, encodeFunctionData, getAddress, type Hex } from 'viem';
import { bytesField, numberField, type SourceCall } from '../../../domain/bridge/source-call.ts';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM } from '../../../domain/solana/programs.ts';
import { TOKEN_MESSENGER_ABI, wide } from '../evm-calls.ts';

/** Contract address, the same on every EVM chain. */
export const TOKEN_MESSENGER = '0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d';
export const TOKEN_MESSENGER_PROGRAM = 'CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdUMQe';
export const MESSAGE_TRANSMITTER_PROGRAM = 'CCTPV2Sm4AdWt5296sk4P66VBZ7bEhcARwFaaS9YPbeC';

/** Minimum finality of a burn before Circle attests it. */
export const FAST_FINALITY = 1_000;
export const STANDARD_FINALITY = 2_000;

/** Hook that asks Circle to mint on the destination chain: `cctp-forward`, version 0, without data. */
const FORWARD_HOOK: Hex = `0x${Buffer.from('cctp-forward').toString('hex').padEnd(64, '0')}`;

const ZERO: Hex = `0x${'0'.repeat(64)}`;
/** Compute units of a burn with its event account. The priority fee is the price per unit times this. */
const BURN_UNITS = 250_000;

export interface BurnTerms {
  readonly amount: bigint;
  readonly maxFee: bigint;
  readonly finality: typeof FAST_FINALITY | typeof STANDARD_FINALITY;
  readonly domain: number;
}

/**
 * Encodes the EVM call that burns for a token account of the primary chain. `mark` follows the arguments, and the contract does not read
 * it. It makes the calls of two quotes with equal terms differ, so that a deposit belongs to one quote.
 */
export function evmBurnData({ amount, maxFee, finality, domain }: BurnTerms, token: string, tokenAccount: string, mark: Hex): Hex {
  const recipient: Hex = `0x${Buffer.from(new PublicKey(tokenAccount).toBytes()).toString('hex')}`;
  const call = encodeFunctionData({
    abi: TOKEN_MESSENGER_ABI,
    functionName: 'depositForBurnWithHook',
    args: [amount, domain, recipient, getAddress(token), ZERO, maxFee, finality, FORWARD_HOOK],
  });
  return concat([call, mark]);
}

/** Returns the associated token account of an owner. */
export function deriveTokenAccount(owner: string, mint: string): string {
  const seeds = [owner, TOKEN_PROGRAM, mint].map((address) => new PublicKey(address).toBytes());
  return derived(ASSOCIATED_TOKEN_PROGRAM, ...seeds).toBase58();
}

interface BurnOwners {
  readonly sender: string;
  readonly recipient: string;
  readonly mint: string;
}

/**
 * Builds the transaction of a burn on the primary chain for an EVM address. The `event` account holds the message that Circle reads; its
 * key signs this transaction only.
 */
export function solanaBurn(terms: BurnTerms, who: BurnOwners, event: Keypair, recentBlockhash: string): Uint8Array {
  const payerKey = new PublicKey(who.sender);
  const burn = burnInstruction(burnCall(terms, who, event.publicKey.toBase58()));
  const instructions = [ComputeBudgetProgram.setComputeUnitLimit({ units: BURN_UNITS }), burn];
  const transaction = new VersionedTransaction(new TransactionMessage({ payerKey, recentBlockhash, instructions }).compileToV0Message());
  transaction.sign([event]);
  return transaction.serialize();
}

/** Discriminator of the instruction: the first eight bytes of the hash of its name. */
const BURN_DISCRIMINATOR = createHash('sha256').update('global:deposit_for_burn_with_hook').digest().subarray(0, 8);

function derived(program: string, ...seeds: readonly (string | Uint8Array)[]): PublicKey {
  const bytes = seeds.map((seed) => (typeof seed === 'string' ? Buffer.from(seed) : seed));
  return PublicKey.findProgramAddressSync(bytes, new PublicKey(program))[0];
}

/** Builds the expected fields of the burn instruction. */
export function burnCall(
  { amount, maxFee, finality, domain }: BurnTerms,
  { sender, recipient, mint }: BurnOwners,
  event: string,
): SourceCall {
  const owner = new PublicKey(sender);
  const messenger = (...seeds: readonly (string | Uint8Array)[]): string => derived(TOKEN_MESSENGER_PROGRAM, ...seeds).toBase58();
  const hook = FORWARD_HOOK.slice(2);
  return {
    program: TOKEN_MESSENGER_PROGRAM,
    accounts: [
      { name: 'owner', address: sender },
      { name: 'payer', address: sender },
      { name: "sender's authority", address: messenger('sender_authority') },
      { name: 'burned token account', address: deriveTokenAccount(sender, mint) },
      { name: 'denylist account', address: messenger('denylist_account', owner.toBytes()) },
      { name: 'message transmitter', address: derived(MESSAGE_TRANSMITTER_PROGRAM, 'message_transmitter').toBase58() },
      { name: 'token messenger', address: messenger('token_messenger') },
      { name: 'remote token messenger', address: messenger('remote_token_messenger', String(domain)) },
      { name: 'token minter', address: messenger('token_minter') },
      { name: 'local token', address: messenger('local_token', new PublicKey(mint).toBytes()) },
      { name: 'mint', address: mint },
      { name: "message's account", address: event },
      { name: 'message transmitter program', address: MESSAGE_TRANSMITTER_PROGRAM },
      { name: 'token messenger program', address: TOKEN_MESSENGER_PROGRAM },
      { name: 'token program', address: TOKEN_PROGRAM },
      { name: 'system program', address: SystemProgram.programId.toBase58() },
      { name: 'event authority', address: messenger('__event_authority') },
      { name: 'event program', address: TOKEN_MESSENGER_PROGRAM },
    ],
    data: [
      bytesField('instruction', BURN_DISCRIMINATOR.toString('hex')),
      numberField('amount', amount, 8),
      numberField('destination domain', domain, 4),
      bytesField('recipient', wide(recipient)),
      bytesField('destination caller', ZERO),
      numberField('highest fee', maxFee, 8),
      numberField('finality', finality, 4),
      numberField('length of the hook', hook.length / 2, 4),
      bytesField('hook', hook),
    ],
  };
}

/** Writable accounts of a burn; the signers follow below. */
const WRITTEN: ReadonlySet<string> = new Set([
  'owner',
  'payer',
  'burned token account',
  'message transmitter',
  'local token',
  'mint',
  "message's account",
]);
const SIGNING: ReadonlySet<string> = new Set(['owner', 'payer', "message's account"]);

function burnInstruction({ program, accounts, data }: SourceCall): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey(program),
    keys: accounts.map(
      ({ name, address }): AccountMeta => ({ pubkey: new PublicKey(address), isSigner: SIGNING.has(name), isWritable: WRITTEN.has(name) }),
    ),
    data: Buffer.from(data.map(({ hex }) => hex).join(''), 'hex'),
  });
}
