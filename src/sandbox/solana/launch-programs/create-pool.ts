/** Model of the instruction that creates a curve's pool: the mint with its whole supply, two vaults and the token's metadata. */
import { byteStruct, joined, keyBytes, lengthAndText, readUint } from '../../../domain/launch/byte-struct.ts';
import {
  METADATA_PROGRAM,
  metadataAddress,
  POOL_AUTHORITY,
  POOL_DISCRIMINATOR,
  poolAddress,
  type TokenNames,
  VIRTUAL_POOL,
  vaultAddress,
} from '../../../domain/launch/curve/program.ts';
import { programAddress } from '../../../domain/launch/program-address.ts';
import { CURVE_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../../domain/solana/programs.ts';
import { assessQuoteMint, type Generation } from './create-config.ts';
import { configAt, expectAddress, FRAMEWORK, mintAt, signed } from './curve-accounts.ts';
import { type ModelContext, ProgramFailure } from './modelled-machine.ts';
import {
  createAccount,
  initializeMint,
  initializeTokenAccount,
  mintTokens,
  setAuthority,
  transferLamports,
} from './native-instructions.ts';

const MINT_BYTES = 82;
const TOKEN_BYTES = 165;
/** Fee of the metadata program for every new account, in lamports. */
const METADATA_FEE = 10_000_000n;
/** Protocol's share of migrated amounts, in basis points. */
const PROTOCOL_MIGRATION_FEE_BPS = 20;

const NAME_BYTES = 32;
const SYMBOL_BYTES = 10;
const URI_BYTES = 200;
const METADATA = byteStruct([
  ['kind', 'u8'],
  ['updateAuthority', 'key'],
  ['mint', 'key'],
  ['name', 4 + NAME_BYTES],
  ['symbol', 4 + SYMBOL_BYTES],
  ['uri', 4 + URI_BYTES],
  ['sellerFeeBps', 'u16'],
  ['hasCreators', 'u8'],
  ['primarySaleHappened', 'u8'],
  ['isMutable', 'u8'],
  ['hasEditionNonce', 'u8'],
  ['editionNonce', 'u8'],
  ['hasStandard', 'u8'],
  ['standard', 'u8'],
  ['rest', 350],
  ['feePaid', 'u8'],
]);
/** Errors of the metadata program for texts that are too long. */
const METADATA_ERRORS = { name: 11, symbol: 12, uri: 13 } as const;
const FUNGIBLE = 2;

function readNames(data: Uint8Array): TokenNames {
  let at = 8;
  const text = (): string => {
    if (at + 4 > data.length) throw new ProgramFailure(102);
    const length = Number(readUint(data, at, 4));
    if (at + 4 + length > data.length) throw new ProgramFailure(102);
    const found = new TextDecoder().decode(data.subarray(at + 4, at + 4 + length));
    at += 4 + length;
    return found;
  };
  return { name: text(), symbol: text(), uri: text() };
}

export function createPool(context: ModelContext, generation: Generation): void {
  const creator = signed(context, 2);
  const baseMint = signed(context, 3);
  const payer = signed(context, 10);
  const { address: configKey, config } = configAt(context, 0);
  const quote = mintAt(context, 4);
  if (config.quoteMint !== quote.address) throw new ProgramFailure(FRAMEWORK.hasOne);
  const pool = poolAddress(configKey, baseMint, quote.address);
  const [baseVault, quoteVault] = [vaultAddress(baseMint, pool), vaultAddress(quote.address, pool)];
  expectAddress(context, 1, POOL_AUTHORITY, FRAMEWORK.address);
  for (const [place, expected] of [
    [5, pool],
    [6, baseVault],
    [7, quoteVault],
  ] as const)
    expectAddress(context, place, expected, FRAMEWORK.seeds);
  expectAddress(context, 8, metadataAddress(baseMint), FRAMEWORK.seeds);
  if (generation === 'badges') assessQuoteMint(context, quote, 16, generation);
  const make = (at: string, bytes: number, owner: string) => createAccount({ payer, at, lamports: context.rent(bytes), bytes, owner });
  context.invoke(
    make(baseMint, MINT_BYTES, TOKEN_PROGRAM),
    initializeMint(TOKEN_PROGRAM, baseMint, config.tokenDecimal, POOL_AUTHORITY, null),
    make(pool, VIRTUAL_POOL.size, CURVE_PROGRAM),
    make(baseVault, TOKEN_BYTES, TOKEN_PROGRAM),
    initializeTokenAccount(TOKEN_PROGRAM, baseVault, baseMint, POOL_AUTHORITY),
  );
  makeQuoteVault(context, payer, quoteVault, quote.address, quote.program);
  makeMetadata(context, payer, baseMint, readNames(context.data));
  context.invoke(
    mintTokens(TOKEN_PROGRAM, baseMint, baseVault, POOL_AUTHORITY, config.preMigrationSupply),
    setAuthority(TOKEN_PROGRAM, baseMint, POOL_AUTHORITY, 0, null),
  );
  if (config.poolCreationFee > 0n) context.invoke(transferLamports(payer, pool, config.poolCreationFee));
  context.write(
    pool,
    VIRTUAL_POOL.encode({
      discriminator: POOL_DISCRIMINATOR,
      config: configKey,
      creator,
      baseMint,
      baseVault,
      quoteVault,
      baseReserve: config.preMigrationSupply,
      sqrtPrice: config.sqrtStartPrice,
      activationPoint: context.unixSeconds,
      poolType: config.tokenType,
      migrationFeeBps: PROTOCOL_MIGRATION_FEE_BPS,
    }),
  );
}

/** Creates a vault. Under Token-2022 the account's size depends on the mint's extensions. */
function makeQuoteVault(context: ModelContext, payer: string, vault: string, mint: string, program: string): void {
  const bytes = TOKEN_BYTES + (program === TOKEN_PROGRAM ? 0 : accountExtensionBytes(context, mint));
  context.invoke(
    createAccount({ payer, at: vault, lamports: context.rent(bytes), bytes, owner: program }),
    initializeTokenAccount(program, vault, mint, POOL_AUTHORITY),
  );
}

/** Returns the bytes that a mint's extensions add to each of its accounts: four before each extension, and one type byte. */
function accountExtensionBytes(context: ModelContext, mint: string): number {
  const data = context.account(mint)?.data as Uint8Array;
  const added: Readonly<Record<number, number>> = { 1: 8, 14: 1, 26: 0 };
  let bytes = 0;
  for (let at = 166; at + 4 <= data.length; ) {
    const kind = Number(readUint(data, at, 2));
    if (kind === 0) break;
    const length = added[kind];
    if (length !== undefined) bytes += 4 + length;
    at += 4 + Number(readUint(data, at + 2, 2));
  }
  return bytes === 0 ? 0 : bytes + 1;
}

function makeMetadata(context: ModelContext, payer: string, mint: string, { name, symbol, uri }: TokenNames): void {
  const size = (text: string): number => new TextEncoder().encode(text).length;
  if (size(name) > NAME_BYTES) throw new ProgramFailure(METADATA_ERRORS.name);
  if (size(symbol) > SYMBOL_BYTES) throw new ProgramFailure(METADATA_ERRORS.symbol);
  if (size(uri) > URI_BYTES) throw new ProgramFailure(METADATA_ERRORS.uri);
  const metadata = metadataAddress(mint);
  const padded = (text: string, bytes: number): Uint8Array => {
    const value = joined(lengthAndText(text), new Uint8Array(bytes - size(text)));
    value[0] = bytes;
    return value;
  };
  const lamports = context.rent(METADATA.size) + METADATA_FEE;
  context.invoke(createAccount({ payer, at: metadata, lamports, bytes: METADATA.size, owner: METADATA_PROGRAM }));
  context.write(
    metadata,
    METADATA.encode({
      kind: 4,
      // No update authority.
      updateAuthority: SYSTEM_PROGRAM,
      mint,
      name: padded(name, NAME_BYTES),
      symbol: padded(symbol, SYMBOL_BYTES),
      uri: padded(uri, URI_BYTES),
      hasEditionNonce: 1,
      editionNonce: programAddress(METADATA_PROGRAM, ['metadata', keyBytes(METADATA_PROGRAM), keyBytes(mint), 'edition']).bump,
      hasStandard: 1,
      standard: FUNGIBLE,
      feePaid: 1,
    }),
  );
}
