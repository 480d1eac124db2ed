// Modelled programs compared with the real ones, transaction by transaction: the same bytes give the same accounts and
// errors. The binaries are not part of the project: without `../shared/data/programs` only the model is tested.
import { describe, expect, test } from 'vitest';
import { planCurve } from '../../../src/domain/launch/curve/curve-config.ts';
import { configParameters, MIGRATION_PROGRESS } from '../../../src/domain/launch/curve/program.ts';
import { DBC_PRESETS } from '../../../src/domain/launch/presets.ts';
import { TOKEN_2022 } from '../../../src/domain/solana/programs.ts';
import { buildCurveConfig, launchCast, launchScript, NAMES, poolOf, WRAPPED_SOL } from './launch-fixture.ts';
import { createRandom } from './launch-random.ts';
import { ALL, HAS_PROGRAMS, NOON, PLAN, pairOfChains, randomSequence, SHARE, SOL, TAXED } from './launch-sequences.ts';

describe(`the modelled programs, ${HAS_PROGRAMS ? 'beside the real ones' : 'alone: ../shared/data/programs is not here'}`, () => {
  test.each(DBC_PRESETS.map((preset) => [preset.key, preset] as const))(
    'carry %s from its configuration to the successor pool and the claims',
    (key, preset) => {
      const world = pairOfChains();
      const cast = launchCast(key);
      const script = launchScript(cast, SOL);
      for (const who of [cast.creator, cast.partner, cast.trader]) world.enrich(who, WRAPPED_SOL, 400_000_000_000n);
      const config = buildCurveConfig({
        ...PLAN,
        ...planCurve({ preset, startingFdv: '30', totalSupply: '1000000000', decimals: 6, quoteDecimals: 9 }),
      });
      expect(world.send([script.createConfig(config)], [cast.creator, cast.config])).toBeNull();
      expect(world.send([script.createPool()], [cast.creator, cast.mint])).toBeNull();
      expect(world.send([script.holding(cast.trader), script.swap('buy', 'exactIn', 1_000_000_000n, 1n)], [cast.trader])).toBeNull();
      world.clock.advanceTo(NOON + 30_000);
      expect(world.send([script.swap('sell', 'exactIn', 5_000_000_000_000n, 1n)], [cast.trader])).toBeNull();
      expect(world.send([script.swap('buy', 'exactOut', 1_000_000_000_000n, ALL)], [cast.trader])).toBeNull();
      for (const [as, who] of [
        ['creator', cast.creator],
        ['partner', cast.partner],
      ] as const)
        expect(world.send([script.holding(who), script.claim(as, ALL, ALL)], [who])).toBeNull();
      expect(world.send([script.migrate(2)], [cast.creator, ...cast.nfts])).toEqual({ InstructionError: [1, { Custom: 6022 }] });
      world.clock.advanceTo(NOON + 600_000);
      expect(world.send([script.swap('buy', 'partialFill', 300_000_000_000n, 1n)], [cast.trader])).toBeNull();
      expect(world.send([script.swap('sell', 'exactIn', 1_000n, 0n)], [cast.trader])).toEqual({ InstructionError: [1, { Custom: 6013 }] });
      if (preset.vesting.supplyPct > 0) expect(world.send([script.lockerTokens(), script.locker()], [cast.creator])).toBeNull();
      expect(world.send([script.migrate(2)], [cast.creator, ...cast.nfts])).toBeNull();
      expect(poolOf(world.model, script.pool)).toMatchObject({ isMigrated: 1, migrationProgress: MIGRATION_PROGRESS.poolCreated });
      expect(world.send([script.migrate(2)], [cast.creator, ...cast.nfts])).toEqual({ InstructionError: [1, { Custom: 6022 }] });
      expect(world.send([script.claim('creator', ALL, ALL)], [cast.creator])).toBeNull();
      expect(world.send([script.claim('partner', 0n, 5n)], [cast.partner])).toBeNull();
    },
  );

  test('refuse what the real ones refuse: wrong signers, names that are too long, mints with extensions, bad parameters', () => {
    const world = pairOfChains();
    const cast = launchCast('refusals');
    const script = launchScript(cast, SOL);
    for (const who of [cast.creator, cast.partner, cast.trader]) world.enrich(who, WRAPPED_SOL, 40_000_000_000n);
    const config = buildCurveConfig(PLAN);
    for (const mint of [SHARE.mint, TAXED.mint]) {
      const shares = launchScript(cast, { mint, program: TOKEN_2022 });
      expect(world.send([shares.createConfig(config)], [cast.creator, cast.config], mint)).toEqual({
        InstructionError: [1, 'InvalidAccountData'],
      });
    }
    const broken: readonly (readonly [string, Partial<typeof config>])[] = [
      ['threshold', { migrationQuoteThreshold: 0n }],
      ['shares', { liquidity: { partner: 0, partnerLocked: 25, creator: 0, creatorLocked: 70 } }],
      ['unlocked', { liquidity: { partner: 50, partnerLocked: 5, creator: 41, creatorLocked: 4 } }],
      ['decimals', { baseDecimals: 5 }],
      ['creator share', { creatorFeePct: 101 }],
      ['start', { sqrtStartPrice: 1n }],
      ['curve', { curve: [] }],
      ['order', { curve: [...config.curve].reverse() }],
      [
        'low fee',
        { baseFee: { ...config.baseFee, cliffFeeNumerator: 2_499_999n, numberOfPeriods: 0, periodFrequency: 0n, reductionFactor: 0n } },
      ],
      ['schedule', { baseFee: { ...config.baseFee, reductionFactor: 0n } }],
      ['vesting', { lockedVesting: { ...config.lockedVesting, frequency: 0n } }],
      ['supply', { totalSupply: config.totalSupply / 2n }],
    ];
    for (const [what, change] of broken)
      expect(world.send([script.createConfig({ ...config, ...change })], [cast.creator, cast.config], what), what).not.toBeNull();
    expect(
      world.send([script.createConfig(config, configParameters(config).subarray(0, 100))], [cast.creator, cast.config], 'cut'),
    ).not.toBeNull();
    expect(world.send([script.createPool()], [cast.creator, cast.mint], 'no config')).not.toBeNull();
    expect(world.send([script.createConfig(config)], [cast.creator, cast.config])).toBeNull();
    expect(world.send([script.createConfig(config)], [cast.creator, cast.config], 'again')).not.toBeNull();
    for (const names of [
      { ...NAMES, name: 'n'.repeat(33) },
      { ...NAMES, symbol: 's'.repeat(11) },
      { ...NAMES, uri: 'u'.repeat(201) },
    ])
      expect(world.send([script.createPool(names)], [cast.creator, cast.mint], JSON.stringify(names))).not.toBeNull();
    expect(world.send([script.createPool()], [cast.creator, cast.mint])).toBeNull();
    expect(world.send([script.createPool()], [cast.creator, cast.mint], 'again')).not.toBeNull();
    expect(world.send([script.holding(cast.trader), script.swap('buy', 'exactIn', 0n, 0n)], [cast.trader], 'zero')).not.toBeNull();
    expect(
      world.send([script.holding(cast.trader), script.swap('buy', 'exactIn', 1_000_000n, ALL)], [cast.trader], 'slippage'),
    ).not.toBeNull();
    expect(
      world.send([script.holding(cast.trader), script.swap('buy', 'exactIn', 900_000_000_000n, 0n)], [cast.trader], 'too much'),
    ).not.toBeNull();
    expect(world.send([script.claim('creator', ALL, ALL, cast.trader)], [cast.trader], 'not the creator')).not.toBeNull();
    expect(world.send([script.claim('partner', ALL, ALL, cast.trader)], [cast.trader], 'not the partner')).not.toBeNull();
    expect(world.send([script.lockerTokens(), script.locker()], [cast.creator], 'early')).not.toBeNull();
  });

  test(`act like the real ones in 8 random sequences`, () => {
    const random = createRandom(20_261_122);
    let world = pairOfChains();
    let completed = 0;
    for (let sequence = 0; sequence < 8; sequence++) {
      if (sequence % 20 === 19) world = pairOfChains();
      if (randomSequence(world, random, `sequence ${sequence}`)) completed++;
    }
    expect(completed).toBeGreaterThan(0);
  }, 300_000);
});
