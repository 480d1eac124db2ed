/** Encoding of accounts and transactions in a node's answers. */
import type { Address, EncodedAccount } from '@solana/kit';
import { EXTENSION, readExtensions, type MintAccount, multiplierAt, readMint, readTokenAccount } from '../../domain/solana/token-layout.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Landed, SolanaChain } from './chain.ts';
import { TOKEN, TOKEN_2022 } from './instructions.ts';
import { type Balances, base58Text, type Run, type TokenBalance } from './machine.ts';
import type { ReadTransaction } from './decode-transaction.ts';
import type { Commitment } from './slot-clock.ts';

type AccountEncoding = 'base58' | 'base64' | 'jsonParsed';
type TransactionEncoding = 'json' | 'base58' | 'base64' | 'jsonParsed';

export type MintSource = ReturnType<typeof mintSource>;

/** Reads mints as of a commitment, and the time, which determine the UI amount. */
export function mintSource(chain: SolanaChain, commitment: Commitment) {
  const known = new Map<string, MintAccount | null>();
  return {
    now: chain.now(),
    mint(at: string): MintAccount | null {
      let found = known.get(at);
      if (found === undefined) {
        const account = chain.account(at as Address, commitment);
        found = account !== null && isTokenProgram(account.programAddress) ? readMint(account.data as Uint8Array) : null;
        known.set(at, found);
      }
      return found;
    },
  };
}

export function isTokenProgram(program: Address): boolean {
  return program === TOKEN || program === TOKEN_2022;
}

/** Formats an amount as shown to clients: scaled by the multiplier, rounded down to raw units, without trailing zeros. */
export function uiAmount(amount: bigint, mint: Pick<MintAccount, 'decimals' | 'scale'>, now: EpochMs): object {
  const { decimals } = mint;
  const multiplier = multiplierAt(mint, now);
  const text = multiplier === 1 ? wholeText(amount, decimals) : wholeText(BigInt(Math.trunc(Number(amount) * multiplier)), decimals);
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text };
}

function wholeText(raw: bigint, decimals: number): string {
  if (decimals === 0) return raw.toString();
  const digits = raw.toString().padStart(decimals + 1, '0');
  const text = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return text.replace(/\.?0+$/, '');
}

/** Encodes an account as requested. An account that cannot be parsed is encoded in base64. */
export function spellAccount(
  account: EncodedAccount,
  encoding: AccountEncoding | 'legacy',
  mints: MintSource,
  slice?: { readonly offset: number; readonly length: number },
): object {
  const bytes = account.data as Uint8Array;
  const shared = {
    lamports: Number(account.lamports),
    owner: account.programAddress,
    executable: account.executable,
    // Maximum: the account is exempt from rent.
    rentEpoch: Number(2n ** 64n - 1n),
    space: bytes.length,
  };
  const parsed = encoding === 'jsonParsed' ? parsedAccount(account, mints) : null;
  if (parsed !== null) return { ...shared, data: parsed };
  const part = slice === undefined ? bytes : bytes.subarray(slice.offset, slice.offset + slice.length);
  // Without an encoding the data is base58 text.
  if (encoding === 'legacy') return { ...shared, data: base58Text(part) };
  if (encoding === 'base58') return { ...shared, data: [base58Text(part), 'base58'] };
  return { ...shared, data: [Buffer.from(part).toString('base64'), 'base64'] };
}

/** Formats the clock as clients see it. */
function parsedClock(bytes: Uint8Array): object {
  const data = Buffer.from(bytes);
  const [slot, epochStartTimestamp, epoch, leaderScheduleEpoch, unixTimestamp] = [0, 8, 16, 24, 32].map((at) =>
    Number(data.readBigInt64LE(at)),
  );
  return { type: 'clock', info: { slot, epoch, epochStartTimestamp, leaderScheduleEpoch, unixTimestamp } };
}

function parsedAccount(account: EncodedAccount, mints: MintSource): object | null {
  if (account.address.startsWith('SysvarC1ock'))
    return { program: 'sysvar', parsed: parsedClock(account.data as Uint8Array), space: account.data.length };
  const program = account.programAddress === TOKEN ? 'spl-token' : account.programAddress === TOKEN_2022 ? 'spl-token-2022' : null;
  if (program === null) return null;
  const bytes = account.data as Uint8Array;
  const info = parsedMint(bytes) ?? parsedTokenAccount(bytes, mints);
  return info === null ? null : { program, parsed: info, space: bytes.length };
}

function parsedMint(bytes: Uint8Array): object | null {
  const mint = readMint(bytes);
  if (mint === null) return null;
  const { decimals, supply, mintAuthority, freezeAuthority } = mint;
  const extensions = mintExtensions(bytes, mint);
  const info = { decimals, freezeAuthority, isInitialized: true, mintAuthority, supply: supply.toString() };
  return { type: 'mint', info: extensions.length === 0 ? info : { ...info, extensions } };
}

function mintExtensions(bytes: Uint8Array, mint: MintAccount): object[] {
  const key = (data: Uint8Array, at: number): string | null => {
    const part = data.subarray(at, at + 32);
    return part.every((byte) => byte === 0) ? null : base58Text(part);
  };
  return [...(readExtensions(bytes, 'mint') ?? [])].flatMap(([type, data]) => {
    if (type === EXTENSION.scaledUiAmount && mint.scale !== null) {
      const { multiplier, newMultiplier, newMultiplierEffectiveAt } = mint.scale;
      const state = { authority: key(data, 0), multiplier: String(multiplier), newMultiplier: String(newMultiplier) };
      return [
        { extension: 'scaledUiAmountConfig', state: { ...state, newMultiplierEffectiveTimestamp: newMultiplierEffectiveAt / 1_000 } },
      ];
    }
    if (type === EXTENSION.transferFeeConfig && mint.transferFee !== null) {
      const fee = ({ epoch, maximum, basisPoints }: typeof mint.transferFee.newer) => ({
        epoch: Number(epoch),
        maximumFee: Number(maximum),
        transferFeeBasisPoints: basisPoints,
      });
      const state = { transferFeeConfigAuthority: key(data, 0), withdrawWithheldAuthority: key(data, 32), withheldAmount: 0 };
      const { older, newer } = mint.transferFee;
      return [{ extension: 'transferFeeConfig', state: { ...state, olderTransferFee: fee(older), newerTransferFee: fee(newer) } }];
    }
    if (type === EXTENSION.permanentDelegate) return [{ extension: 'permanentDelegate', state: { delegate: key(data, 0) } }];
    if (type === EXTENSION.transferHook)
      return [{ extension: 'transferHook', state: { authority: key(data, 0), programId: key(data, 32) } }];
    if (type === EXTENSION.pausable) return [{ extension: 'pausableConfig', state: { authority: key(data, 0), paused: mint.paused } }];
    if (type === EXTENSION.metadataPointer)
      return [{ extension: 'metadataPointer', state: { authority: key(data, 0), metadataAddress: key(data, 32) } }];
    if (type === EXTENSION.defaultAccountState)
      return [{ extension: 'defaultAccountState', state: { accountState: mint.startsFrozen ? 'frozen' : 'initialized' } }];
    if (type === EXTENSION.tokenMetadata) return [{ extension: 'tokenMetadata', state: readMetadata(data, key) }];
    return [{ extension: 'unparseableExtension' }];
  });
}

function readMetadata(data: Uint8Array, key: (data: Uint8Array, at: number) => string | null): object {
  const bytes = Buffer.from(data);
  let at = 64;
  const text = (): string => {
    const length = bytes.readUInt32LE(at);
    at += 4 + length;
    return bytes.toString('utf8', at - length, at);
  };
  const [name, symbol, uri] = [text(), text(), text()];
  return { updateAuthority: key(data, 0), mint: key(data, 32), name, symbol, uri, additionalMetadata: [] };
}

function parsedTokenAccount(bytes: Uint8Array, mints: MintSource): object | null {
  const account = readTokenAccount(bytes);
  const mint = account === null ? null : mints.mint(account.mint);
  if (account === null || mint === null) return null;
  const extensions = account.extensions.map((type) => {
    if (type === EXTENSION.immutableOwner) return { extension: 'immutableOwner' };
    if (type === EXTENSION.transferHookAccount) return { extension: 'transferHookAccount', state: { transferring: false } };
    if (type === EXTENSION.pausableAccount) return { extension: 'pausableAccount' };
    if (type === EXTENSION.transferFeeAmount)
      return { extension: 'transferFeeAmount', state: { withheldAmount: Number(account.withheld) } };
    return { extension: 'unparseableExtension' };
  });
  return {
    type: 'account',
    info: {
      isNative: Buffer.from(bytes).readUInt32LE(109) === 1,
      mint: account.mint,
      owner: account.owner,
      state: account.state,
      tokenAmount: uiAmount(account.amount, mint, mints.now),
      ...(extensions.length === 0 ? {} : { extensions }),
    },
  };
}

function spellTokenBalances(tokens: readonly TokenBalance[], mints: MintSource): object[] {
  return tokens.flatMap(({ index, mint, owner, program, amount }) => {
    const facts = mints.mint(mint);
    return facts === null
      ? []
      : [{ accountIndex: index, mint, owner, programId: program, uiTokenAmount: uiAmount(amount, facts, mints.now) }];
  });
}

/** Formats balances before and after a transaction, as in `getTransaction` and `simulateTransaction`. */
export function spellBalances(before: Balances, after: Balances, mints: MintSource): object {
  return {
    preBalances: before.lamports.map(Number),
    postBalances: after.lamports.map(Number),
    preTokenBalances: spellTokenBalances(before.tokens, mints),
    postTokenBalances: spellTokenBalances(after.tokens, mints),
  };
}

export function spellInner(run: Run): object[] {
  return run.inner.flatMap((list, index) =>
    list.length === 0
      ? []
      : [
          {
            index,
            instructions: list.map(({ programIndex, accounts, data, stackHeight }) => ({
              programIdIndex: programIndex,
              accounts,
              data: base58Text(data),
              stackHeight,
            })),
          },
        ],
  );
}

export function spellReturnData(run: Run): object | null {
  return run.returnData === null
    ? null
    : { programId: run.returnData.program, data: [Buffer.from(run.returnData.data).toString('base64'), 'base64'] };
}

/** Formats a transaction like `getTransaction`. */
export function spellLanded(landed: Landed, encoding: TransactionEncoding, mints: MintSource): object {
  const { run, slot, unixSeconds, transaction } = landed;
  const { error } = run;
  return {
    slot,
    blockTime: unixSeconds,
    version: transaction.version,
    meta: {
      err: error,
      status: error === null ? { Ok: null } : { Err: error },
      fee: Number(run.fee),
      ...spellBalances(run.before, run.after, mints),
      innerInstructions: spellInner(run),
      logMessages: run.logs,
      rewards: [],
      loadedAddresses: run.loaded,
      computeUnitsConsumed: Number(run.units),
      ...(run.returnData === null ? {} : { returnData: spellReturnData(run) }),
    },
    transaction: spellTransaction(transaction, run, encoding),
  };
}

function spellTransaction(transaction: ReadTransaction, run: Run, encoding: TransactionEncoding): unknown {
  if (encoding === 'base64') return [Buffer.from(transaction.bytes).toString('base64'), 'base64'];
  if (encoding === 'base58') return [base58Text(transaction.bytes), 'base58'];
  return { signatures: transaction.signatures, message: encoding === 'json' ? plainMessage(transaction) : parsedMessage(transaction, run) };
}

function spellLookups({ version, lookups }: ReadTransaction): object {
  if (version === 'legacy') return {};
  return {
    addressTableLookups: lookups.map(({ table, writable, readonly }) => ({
      accountKey: table,
      writableIndexes: writable,
      readonlyIndexes: readonly,
    })),
  };
}

function plainMessage(transaction: ReadTransaction): object {
  const { header, staticKeys, blockhash, instructions } = transaction;
  return {
    header: {
      numRequiredSignatures: header.signers,
      numReadonlySignedAccounts: header.readonlySigners,
      numReadonlyUnsignedAccounts: header.readonlyOthers,
    },
    accountKeys: staticKeys,
    recentBlockhash: blockhash,
    instructions: instructions.map(({ programIndex, accounts, data }) => ({
      programIdIndex: programIndex,
      accounts,
      data: base58Text(data),
      stackHeight: null,
    })),
    ...spellLookups(transaction),
  };
}

/** Formats a message. Instructions appear as a node shows those of unknown programs. */
function parsedMessage(transaction: ReadTransaction, run: Run): object {
  const { header, staticKeys, blockhash, instructions } = transaction;
  return {
    accountKeys: run.keys.map((pubkey, index) => ({
      pubkey,
      signer: index < header.signers,
      writable: run.writable[index] ?? false,
      source: index < staticKeys.length ? 'transaction' : 'lookupTable',
    })),
    recentBlockhash: blockhash,
    instructions: instructions.map(({ programIndex, accounts, data }) => ({
      programId: run.keys[programIndex],
      accounts: accounts.map((index) => run.keys[index]),
      data: base58Text(data),
      stackHeight: null,
    })),
    ...spellLookups(transaction),
  };
}
