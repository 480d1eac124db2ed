/**
 * Rules of what a delegated wallet may sign: one swap and nothing else. The message is decoded instruction by instruction. Every program,
 * account and amount must be accounted for by the order, the wallet or the chain. Anything unknown is refused.
 */
import { programAddress } from '../launch/program-address.ts';
import { findFeeAccount, computeLeast, type Route, type RouteAccount, readRoute } from './aggregator-routes.ts';
import { listAccounts, listSigners, type WireInstruction, type WireTransaction } from './message.ts';
import {
  AGGREGATOR_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  namedProgram,
  programWords,
  SYSTEM_PROGRAM,
  TOKEN_2022,
  TOKEN_PROGRAM,
} from './programs.ts';

/** Maximum priority fees of one swap in lamports. */
const MOST_PRIORITY_LAMPORTS = 5_000_000n;
const EVENT_AUTHORITY = programAddress(AGGREGATOR_PROGRAM, ['__event_authority']).address;
/** Maximum compute units of a transaction without its own limit. */
const DEFAULT_UNITS = 1_400_000n;

/** A mint of the swap, and its token program. */
interface SwapMint {
  readonly mint: string;
  readonly program: string;
}

export interface DelegatedSwap {
  readonly wallet: string;
  readonly input: SwapMint;
  readonly output: SwapMint;
  /** Maximum input in raw units. */
  readonly mostIn: bigint;
  /** Returns the minimum output in raw units for an input. */
  readonly leastOut: (given: bigint) => bigint;
  /** Makers that may sign with the wallet and trade with it. */
  readonly makers: ReadonlySet<string>;
  /** Contents of lookup tables, as read from the chain. An account of a missing table is unknown. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  /** Returns the associated token account of an owner, mint and token program. */
  readonly accountOf: (owner: string, mint: string, program: string) => string;
}

/** Amounts that a message moves, in raw units. */
interface Moved {
  /** Input that the wallet gives. */
  given: bigint;
  /** Output that certainly arrives at the wallet. */
  got: bigint;
  /** Compute units that the message sets, or null. */
  units: bigint | null;
  unitPrice: bigint | null;
}

class Objection extends Error {}

const object = (why: string): never => {
  throw new Objection(why);
};

/** Returns why a message must not be signed for this swap, or null if it does the swap and nothing else. */
export function delegatedSwapObjection(transaction: WireTransaction, swap: DelegatedSwap): string | null {
  try {
    checkSigners(transaction, swap);
    const accounts = listAccounts(transaction, swap.tables);
    const moved: Moved = { given: 0n, got: 0n, units: null, unitPrice: null };
    for (const [index, instruction] of transaction.instructions.entries()) {
      try {
        checkInstruction(instruction, accounts, swap, moved);
      } catch (error) {
        if (error instanceof Objection) object(`instruction ${index}: ${error.message}`);
        throw error;
      }
    }
    checkAmounts(moved, swap);
    return null;
  } catch (error) {
    if (error instanceof Objection) return error.message;
    throw error;
  }
}

function checkSigners(transaction: WireTransaction, { wallet, makers }: DelegatedSwap): void {
  const signers = listSigners(transaction);
  if (!signers.includes(wallet)) object(`the wallet ${wallet} does not sign it`);
  for (const [index, signer] of signers.entries()) {
    const isSigned = (transaction.signatures[index] as Uint8Array).some((byte) => byte !== 0);
    if (signer === wallet && isSigned) object('it carries a signature of the wallet already');
    if (signer !== wallet && !makers.has(signer)) object(`${signer} is to sign it, who is no known maker`);
    if (signer !== wallet && !isSigned) object(`the maker ${signer} has not signed it`);
  }
}

function checkAmounts({ given, got, units, unitPrice }: Moved, { mostIn, leastOut }: DelegatedSwap): void {
  if (given <= 0n) object('the wallet gives nothing');
  if (given > mostIn) object(`the wallet would give ${given}, more than the ${mostIn} of the order`);
  const least = leastOut(given);
  if (least <= 0n || got < least) object(`the wallet is sure of ${got} for ${given}, less than the ${least} of the order`);
  const fee = ((units ?? DEFAULT_UNITS) * (unitPrice ?? 0n) + 999_999n) / 1_000_000n;
  if (fee > MOST_PRIORITY_LAMPORTS) object(`its priority fee comes to ${fee} lamports, more than ${MOST_PRIORITY_LAMPORTS}`);
}

function checkInstruction(instruction: WireInstruction, accounts: readonly string[], swap: DelegatedSwap, moved: Moved): void {
  const { program, data } = instruction;
  const named = instruction.accounts.map((place) => accounts[place] ?? '');
  if (program === COMPUTE_BUDGET_PROGRAM) checkBudget(data, named, moved);
  else if (program === ASSOCIATED_TOKEN_PROGRAM) checkOpening(data, named, swap);
  else if (program === TOKEN_PROGRAM || program === TOKEN_2022) checkTransfer(program, data, named, swap, moved);
  else if (program === AGGREGATOR_PROGRAM) checkRoute(data, named, swap, moved);
  else if (program === SYSTEM_PROGRAM) object('lamports of nobody move in a swap of tokens');
  else object(`${programWords(namedProgram(program))} is no program of a swap`);
}

function unsigned(data: Uint8Array, at: number, bytes: number): bigint {
  if (at < 0 || at + bytes > data.length) object('its data ends too early');
  let value = 0n;
  for (let place = bytes - 1; place >= 0; place--) value = (value << 8n) | BigInt(data[at + place] as number);
  return value;
}

/** Checks the compute budget: the limit and the price of units, each at most once, and nothing else. */
function checkBudget(data: Uint8Array, named: readonly string[], moved: Moved): void {
  if (named.length > 0) object('the compute budget is given accounts');
  if (data[0] === 2 && data.length === 5 && moved.units === null) moved.units = unsigned(data, 1, 4);
  else if (data[0] === 3 && data.length === 9 && moved.unitPrice === null) moved.unitPrice = unsigned(data, 1, 8);
  else object(`the compute budget is asked for something else (${data[0]})`);
}

/** Checks the creation of the wallet's own account of one of the two mints. */
function checkOpening(data: Uint8Array, named: readonly string[], swap: DelegatedSwap): void {
  const { wallet, input, output, makers, accountOf } = swap;
  const [payer, account, owner, mint, system, program, ...others] = named;
  if (others.length > 0) object(`an account is opened with ${others.join(', ')}, which it does not need`);
  if (data.length > 1 || (data.length === 1 && data[0] !== 0 && data[0] !== 1)) object('an account is asked for more than being opened');
  const side = [input, output].find((one) => one.mint === mint);
  if (side === undefined) return object(`an account of ${mint} is opened, which is not swapped`);
  if (owner !== wallet) object(`an account of ${owner} is opened, and not of the wallet`);
  if (payer !== wallet && !makers.has(payer ?? '')) object(`${payer} pays for an account`);
  if (system !== SYSTEM_PROGRAM || program !== side.program || account !== accountOf(wallet, side.mint, side.program))
    object('the account that is opened is not the wallet’s own');
}

/** Instruction numbers of a transfer and of one with mint and decimals. 26, 1 is the latter with the mint's fee. */
const TRANSFER = 3;
const TRANSFER_CHECKED = 12;
const FEE_EXTENSION = 26;

interface Transfer {
  readonly source: string;
  readonly mint: string | null;
  readonly destination: string;
  readonly authority: string;
  readonly amount: bigint;
  /** Fee that the mint withholds. */
  readonly fee: bigint;
}

function transferFrom(program: string, data: Uint8Array, named: readonly string[]): Transfer {
  const name = (place: number): string => named[place] ?? object('it names too few accounts');
  if (data[0] === TRANSFER && data.length === 9 && named.length === 3)
    return { source: name(0), mint: null, destination: name(1), authority: name(2), amount: unsigned(data, 1, 8), fee: 0n };
  const checked = { source: name(0), mint: name(1), destination: name(2), authority: name(3) };
  if (data[0] === TRANSFER_CHECKED && data.length === 10 && named.length === 4)
    return { ...checked, amount: unsigned(data, 1, 8), fee: 0n };
  if (program === TOKEN_2022 && data[0] === FEE_EXTENSION && data[1] === 1 && data.length === 19 && named.length === 4)
    return { ...checked, amount: unsigned(data, 2, 8), fee: unsigned(data, 11, 8) };
  return object(`${programWords(namedProgram(program))} is asked for more than a transfer (instruction ${data[0]})`);
}

/** Checks a transfer of a swap: the input goes from the wallet to a maker, or the output from a maker to the wallet. */
function checkTransfer(program: string, data: Uint8Array, named: readonly string[], swap: DelegatedSwap, moved: Moved): void {
  const { wallet, input, output, makers, accountOf } = swap;
  const { source, mint, destination, authority, amount, fee } = transferFrom(program, data, named);
  const own = (side: SwapMint, owner: string): string => accountOf(owner, side.mint, side.program);
  if (authority === wallet) {
    if (program !== input.program || source !== own(input, wallet) || (mint !== null && mint !== input.mint))
      object('the wallet would give something else than the input of the order');
    if (![...makers].some((maker) => destination === own(input, maker))) object(`the wallet’s tokens would go to ${destination}`);
    moved.given += amount;
    return;
  }
  if (!makers.has(authority)) object(`${authority} moves tokens, who is no known maker`);
  if (program !== output.program || source !== own(output, authority) || (mint !== null && mint !== output.mint))
    object('a maker would give something else than the output of the order');
  if (destination !== own(output, wallet)) object(`the output would go to ${destination}`);
  if (fee > amount) object('the fee of the mint is more than what is moved');
  moved.got += amount - fee;
}

/** Returns the permitted accounts of a route by role. */
function routeAccounts({ id }: Route, swap: DelegatedSwap): Readonly<Record<RouteAccount, readonly string[]>> {
  const { wallet, input, output, accountOf } = swap;
  const shared = id === null ? null : programAddress(AGGREGATOR_PROGRAM, ['authority', Uint8Array.of(id)]).address;
  const listShared = ({ mint, program }: SwapMint): readonly string[] => (shared === null ? [] : [accountOf(shared, mint, program)]);
  const own = accountOf(wallet, output.mint, output.program);
  return {
    tokenProgram: [TOKEN_PROGRAM, TOKEN_2022],
    programAuthority: shared === null ? [] : [shared],
    user: [wallet],
    source: [accountOf(wallet, input.mint, input.program)],
    programSource: listShared(input),
    programDestination: listShared(output),
    destination: [own],
    otherDestination: [own, AGGREGATOR_PROGRAM],
    inputMint: [input.mint],
    outputMint: [output.mint],
    platformFee: [AGGREGATOR_PROGRAM],
    token2022: [TOKEN_2022, AGGREGATOR_PROGRAM],
    tokenLedger: [],
    eventAuthority: [EVENT_AUTHORITY],
    program: [AGGREGATOR_PROGRAM],
  };
}

/** Checks a route of the aggregator: from the wallet's input account to its output account, without a platform fee. */
function checkRoute(data: Uint8Array, named: readonly string[], swap: DelegatedSwap, moved: Moved): void {
  const route = readRoute(data);
  if (route === null) return object('the aggregator is asked for something else than a route that is known');
  if (route.kind !== 'exactIn') object(`a route that fixes another amount than what is given is not signed (${route.name})`);
  if (route.platformFee !== 0n) object(`the route pays a fee of ${route.platformFee} basis points to ${findFeeAccount(route, named)}`);
  const known = routeAccounts(route, swap);
  for (const [place, account] of route.accounts.entries())
    if (!known[account].includes(named[place] ?? ''))
      object(`the route names ${named[place] ?? 'nothing'} as its ${account} (account ${place})`);
  // The wallet's signature is passed on to the programs behind the aggregator, so that they must not see other accounts of the wallet.
  if (named.some((account, place) => account === swap.wallet && place !== route.accounts.indexOf('user')))
    object('the route is given the wallet itself');
  if (route.slippage > 10_000n) object(`the route may slip by ${route.slippage} basis points`);
  moved.given += route.given;
  moved.got += computeLeast(route);
}
