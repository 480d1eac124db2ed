// Random launches on chains of both kinds: the modelled programs, and the real ones if available.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { address } from '@solana/kit';
import { expect } from 'vitest';
import { planCurve } from '../../../src/domain/launch/curve/curve-config.ts';
import { DBC_PRESETS } from '../../../src/domain/launch/presets.ts';
import { CLAIMERS } from '../../../src/domain/launch/withdrawals.ts';
import { TOKEN_PROGRAM } from '../../../src/domain/solana/programs.ts';
import type { SolanaChain } from '../../../src/sandbox/solana/chain.ts';
import type { SandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { foundChain } from '../../../src/sandbox/solana/simulator.ts';
import { decodeTransaction } from '../../../src/sandbox/solana/decode-transaction.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import {
  buildCurveConfig,
  type CurvePlan,
  enrich,
  holdingOf,
  landOn,
  launchCast,
  launchScript,
  WRAPPED_SOL,
  wireOf,
} from './launch-fixture.ts';
import { createRandom } from './launch-random.ts';

export const NOON = Date.UTC(2026, 10, 20, 17);
/** Folder of the programs: from the environment, or beside the repository. */
const PROGRAMS = process.env['SANDBOX_CHAIN_PROGRAMS'] ?? fileURLToPath(new URL('../../../../shared/data/programs', import.meta.url));
export const HAS_PROGRAMS = existsSync(PROGRAMS);
const STABLE = { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6 };
export const SHARE = {
  mint: 'XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB',
  symbol: 'TSLAx',
  decimals: 8,
  multiplier: 1,
  newMultiplier: 1,
  newMultiplierEffectiveAt: 0,
};
export const TAXED = { ...SHARE, mint: 'PreANxuXjsy2pvisWWMNB6YaJNzr7681wJJr2rHsfTh', symbol: 'SPACEX', decimals: 9, transferFeeBps: 100 };

/** Creates chains that process the same transactions, and compares them afterwards. */
export function pairOfChains() {
  const clock = createVirtualClock(NOON);
  const options = { clock, seed: 3, slots: 'manual' as const, mints: [SHARE, TAXED], stable: STABLE };
  const model = foundChain({ ...options, generation: 'before_badges' });
  const real = HAS_PROGRAMS ? foundChain({ ...options, programs: PROGRAMS }) : null;
  const both = real === null ? [model] : [model, real];

  const stateOf = (chain: SolanaChain, keys: readonly string[]) =>
    Object.fromEntries(
      keys.map((key) => {
        const account = chain.account(address(key), 'processed');
        if (account === null || account.executable) return [key, null];
        return [key, { owner: account.programAddress, lamports: account.lamports, data: Buffer.from(account.data).toString('hex') }];
      }),
    );

  let sent = 0;
  return {
    clock,
    model,
    /** Returns the number of transactions so far. */
    sent: () => sent,
    both,
    enrich: (who: SandboxKey, mint: string, amount: bigint) => both.forEach((chain) => enrich(chain, who, mint, amount)),
    /** Lands a transaction on all chains. Returns its error. */
    send(instructions: Parameters<typeof wireOf>[1], signers: readonly SandboxKey[], what = ''): unknown {
      sent++;
      for (const chain of both) chain.advance(1);
      const transaction = decodeTransaction(wireOf(model, instructions, signers));
      if (real !== null) real.latestBlockhash('processed');
      const [mine, theirs] = both.map((chain) => landOn(chain, transaction));
      if (theirs !== undefined && real !== null) {
        expect(mine?.run.error, `${what}\n${theirs.run.logs.join('\n')}`).toEqual(theirs.run.error);
        const keys = transaction.staticKeys;
        expect(stateOf(model, keys), what).toEqual(stateOf(real, keys));
      }
      return mine?.run.error ?? null;
    },
  };
}

export const PLAN: CurvePlan = planCurve({
  preset: DBC_PRESETS[2]!,
  startingFdv: '30',
  totalSupply: '1000000000',
  decimals: 6,
  quoteDecimals: 9,
});
export const SOL = { mint: WRAPPED_SOL, program: TOKEN_PROGRAM };
export const ALL = (1n << 64n) - 1n;

/** Runs one launch with random parameters, people and amounts. Returns true if it reached its successor pool. */
export function randomSequence(world: ReturnType<typeof pairOfChains>, random: ReturnType<typeof createRandom>, name: string): boolean {
  const { integer, one, chance } = random;
  const cast = launchCast(`${name} ${integer(0, 1_000_000_000)}`, 'everybody');
  const quote = chance(0.5) ? SOL : { mint: STABLE.mint, program: TOKEN_PROGRAM };
  const script = launchScript(cast, quote);
  for (const who of [cast.creator, cast.partner, cast.trader]) world.enrich(who, quote.mint, 10_000_000_000_000n);
  const creatorLocked = integer(0, 100);
  const vests = chance(0.5);
  const hasMigrationFee = chance(0.4);
  const supply = one(['1000000', '100000000', '1000000000']);
  let config: ReturnType<typeof buildCurveConfig>;
  try {
    config = buildCurveConfig({
      ...PLAN,
      totalSupply: supply,
      baseDecimals: integer(6, 9),
      quoteDecimals: quote === SOL ? 9 : 6,
      initialMarketCap: String(integer(5, 3_000)),
      migrationMarketCap: String(integer(3_001, 60_000)),
      vesting: {
        total: vests ? String(integer(1, 20) * (Number(supply) / 100)) : '0',
        periods: integer(1, 200),
        durationSeconds: integer(200, 1_000) * 200,
        cliffSeconds: integer(0, 1_000),
      },
      fee: {
        startBps: integer(200, 5_000),
        endBps: integer(25, 200),
        decay: one(['linear', 'exponential']),
        durationSeconds: integer(60, 3_600),
        periods: integer(1, 60),
      },
      dynamicFee: chance(0.7),
      collectFeeIn: one(['quote', 'quote', 'output']),
      creatorFeePct: integer(0, 100),
      liquidity: { partner: 0, partnerLocked: 100 - creatorLocked, creator: 0, creatorLocked },
      migrationFeePct: hasMigrationFee ? integer(1, 60) : 0,
      // The fee is rounded differently than planned: the leftover covers it.
      leftover: hasMigrationFee && chance(0.9) ? '10' : '0',
      creatorMigrationFeePct: hasMigrationFee ? integer(0, 100) : 0,
      migratedPool: { feeBps: integer(10, 1_000), dynamicFee: chance(0.5) },
    });
  } catch {
    return false;
  }
  if (world.send([script.createConfig(config)], [cast.creator, cast.config], name) !== null) return false;
  if (world.send([script.createPool()], [cast.creator, cast.mint], name) !== null) return false;
  world.send([script.holding(cast.trader), holdingOf(cast.partner, cast.mint.address, TOKEN_PROGRAM)], [cast.trader, cast.partner], name);
  world.send([script.holding(cast.creator)], [cast.creator], name);
  const steps = integer(3, 9);
  for (let step = 0; step < steps; step++) {
    if (chance(0.5)) world.clock.advanceTo(world.clock.now() + integer(1, 400_000));
    randomStep(world, random, script, cast, config, `${name} step ${step}`);
  }
  world.send([script.swap('buy', 'partialFill', config.migrationQuoteThreshold * 3n, 0n)], [cast.trader], `${name} fill`);
  if (vests || chance(0.1)) world.send([script.lockerTokens(), script.locker()], [cast.creator], `${name} lock`);
  const positions = creatorLocked === 0 || creatorLocked === 100 ? 1 : 2;
  const graduated = world.send([script.migrate(positions)], [cast.creator, ...cast.nfts.slice(0, positions)], `${name} graduate`) === null;
  for (const as of CLAIMERS) world.send([script.claim(as, ALL, ALL)], [cast[as]], `${name} claim`);
  for (let step = integer(2, 6); step > 0; step--) {
    if (chance(0.6)) world.clock.advanceTo(world.clock.now() + integer(1, chance(0.3) ? 40_000_000 : 400_000));
    laterStep(world, random, script, cast, config, `${name} later ${step}`);
  }
  return graduated;
}

/** After the curve is complete: swaps in the successor pool, and claims of creator and partner. */
function laterStep(
  world: ReturnType<typeof pairOfChains>,
  { integer, one, chance }: ReturnType<typeof createRandom>,
  script: ReturnType<typeof launchScript>,
  cast: ReturnType<typeof launchCast>,
  config: ReturnType<typeof buildCurveConfig>,
  what: string,
): void {
  const as = one(CLAIMERS);
  const who = chance(0.85) ? cast[as] : cast.trader;
  const kind = one(['swap', 'swap', 'swap', 'surplus', 'migrationFee', 'unlocked'] as const);
  if (kind === 'surplus') world.send([script.surplus(as, who)], [who], `${what} surplus ${as}`);
  else if (kind === 'migrationFee') world.send([script.migrationFee(as, who)], [who], `${what} migration fee ${as}`);
  else if (kind === 'unlocked') {
    const recipient = chance(0.9) ? cast.creator : cast.trader;
    world.send([script.unlocked(chance(0.6) ? ALL : BigInt(integer(0, 1_000_000_000)), recipient)], [recipient], `${what} unlocked`);
  } else {
    const direction = one(['buy', 'sell'] as const);
    const mode = one(['exactIn', 'exactIn', 'partialFill', 'exactOut'] as const);
    const inQuote = (direction === 'buy') === (mode !== 'exactOut');
    const basis = inQuote ? config.migrationQuoteThreshold : config.totalSupply / 4n;
    const amount = (basis * BigInt(integer(0, chance(0.1) ? 3_000_000 : 200_000))) / 1_000_000n;
    const isBounded = chance(0.2);
    const bound = isBounded ? BigInt(integer(0, 1_000_000_000)) : mode === 'exactOut' ? ALL : 0n;
    const swap = script.successorSwap(direction, mode, amount, bound);
    world.send([swap], [cast.trader], `${what} successor ${direction} ${mode} ${amount} ${bound}`);
  }
}

function randomStep(
  world: ReturnType<typeof pairOfChains>,
  { integer, one, chance }: ReturnType<typeof createRandom>,
  script: ReturnType<typeof launchScript>,
  cast: ReturnType<typeof launchCast>,
  config: ReturnType<typeof buildCurveConfig>,
  what: string,
): void {
  if (chance(0.15)) {
    const as = one(['creator', 'partner'] as const);
    const who = chance(0.8) ? cast[as] : cast.trader;
    world.send([script.claim(as, chance(0.5) ? ALL : BigInt(integer(0, 1_000_000)), ALL, who)], [who], what);
    return;
  }
  const direction = one(['buy', 'buy', 'sell'] as const);
  const mode = one(['exactIn', 'exactIn', 'partialFill', 'exactOut'] as const);
  const inQuote = (direction === 'buy') === (mode !== 'exactOut');
  const basis = inQuote ? config.migrationQuoteThreshold : config.totalSupply / 4n;
  const amount = (basis * BigInt(integer(0, chance(0.1) ? 2_000_000 : 300_000))) / 1_000_000n;
  const bound =
    mode === 'exactOut' ? (chance(0.8) ? ALL : BigInt(integer(0, 1_000_000_000))) : chance(0.8) ? 0n : BigInt(integer(0, 1_000_000_000));
  world.send([script.swap(direction, mode, amount, bound)], [cast.trader], `${what} ${direction} ${mode} ${amount} ${bound}`);
}
