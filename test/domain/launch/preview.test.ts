/** Presets and previews compared with the closed forms of a one-segment curve. */
import { describe, expect, test } from 'vitest';
import { wishProblem } from '../../../src/domain/launch/curve/curve-config.ts';
import { DBC_PRESETS, findPreset } from '../../../src/domain/launch/presets.ts';
import { previewCurve } from '../../../src/domain/launch/launch-preview.ts';
import { listedObjection, mintObjection } from '../../../src/domain/launch/quote-mint.ts';
import type { MintAccount } from '../../../src/domain/solana/token-layout.ts';

const wish = (key: Parameters<typeof findPreset>[0], startingFdv = '1000') => ({
  preset: findPreset(key),
  startingFdv,
  totalSupply: '1000000000',
  decimals: 6,
  quoteDecimals: 9,
});

describe('a preview', () => {
  test.each(DBC_PRESETS.map((preset) => [preset.key, preset] as const))('of %s follows price(f) = P0 (1 + f (k - 1))^2', (key, preset) => {
    const preview = previewCurve(wish(key));
    const k = Math.sqrt(preset.graduationMultiple);
    const p0 = Number(preview.startingPrice);
    expect(p0).toBeCloseTo(1_000 / 1e9, 12);
    expect(preview.ladder.map(({ fillPct }) => fillPct)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    for (const { fillPct, price, sold } of preview.ladder) {
      const filled = 1 + (fillPct / 100) * (k - 1);
      expect(Number(price) / p0).toBeCloseTo(filled ** 2, 4);
      const soldPart = (1 - 1 / filled) / (1 - 1 / k);
      expect(Number(sold) / Number(preview.supply.onCurve)).toBeCloseTo(soldPart, 5);
    }
    const toPool = (100 - preset.vesting.supplyPct) / (1 + k);
    expect(Number(preview.graduationThreshold)).toBeCloseTo((1_000 * preset.graduationMultiple * toPool) / 100, 2);
    expect(Number(preview.supply.successorPool) / 1e9).toBeCloseTo(toPool / 100, 5);
    expect(Number(preview.graduationFdv)).toBeCloseTo(1_000 * preset.graduationMultiple, 1);
  });

  test('lists the fees of a preset in as many steps as it has periods, with the maximum volatility fee', () => {
    const { fees } = previewCurve(wish('reference_anchored'));
    expect(fees).toHaveLength(31);
    expect(fees[0]).toEqual({ at: 0, bps: '500', volatilityBps: expect.any(String) });
    expect(fees[15]).toMatchObject({ at: 900, bps: '223.72811' });
    expect(fees[30]).toMatchObject({ at: 1_800, bps: '100.10854' });
    expect(Number(fees[30]?.volatilityBps)).toBeGreaterThan(15);
    expect(Number(fees[30]?.volatilityBps)).toBeLessThanOrEqual(20);
    expect(previewCurve(wish('price_discovery')).fees.at(-1)).toMatchObject({ at: 3_600, bps: '100' });
  });

  test('splits every fee: a fifth to the protocol, the rest by the preset', () => {
    expect(previewCurve(wish('agent_treasury')).feeShares).toEqual({
      protocolPct: '20',
      referralPct: '4',
      creatorPct: '60',
      partnerPct: '20',
    });
    expect(previewCurve(wish('price_discovery')).feeShares).toEqual({
      protocolPct: '20',
      referralPct: '4',
      creatorPct: '40',
      partnerPct: '40',
    });
  });

  test('shows the part of the vesting that does not divide into days', () => {
    expect(previewCurve(wish('agent_treasury')).vesting).toEqual({
      supplyPct: 10,
      total: '100000000',
      cliff: '100',
      perPeriod: '555555',
      periods: 180,
      periodSeconds: 86_400,
      durationSeconds: 15_552_000,
    });
    expect(previewCurve(wish('reference_anchored')).vesting).toBeNull();
  });

  test('is refused with a number out of bounds, naming it', () => {
    const ok = { startingFdv: '1000', totalSupply: '1000000000', decimals: 6 };
    expect(wishProblem(ok)).toBeNull();
    expect(wishProblem({ ...ok, decimals: 5 })).toContain('$.decimals');
    expect(wishProblem({ ...ok, totalSupply: '1e9' })).toContain('$.totalSupply');
    expect(wishProblem({ ...ok, totalSupply: '100000000000000' })).toContain('2^64');
    for (const startingFdv of ['0', '-1', '0.0', '1e3', '123456789.123456789', ''])
      expect(wishProblem({ ...ok, startingFdv })).toContain('$.startingFdv');
  });
});

describe('a quote mint', () => {
  const facts = {
    mint: 'XsbEhLAtcf6HdfpFZ5xEMdqW8nfAvcsP5bdudRLJzJp',
    symbol: 'AAPLx',
    program: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    transferFeeBps: 0,
  };
  const account: MintAccount = {
    supply: 1n,
    decimals: 8,
    mintAuthority: null,
    freezeAuthority: null,
    scale: null,
    transferFee: null,
    paused: false,
    permanentDelegate: null,
    transferHook: null,
    startsFrozen: false,
    extensions: [25, 26],
  };

  test('with extensions needs a badge, and one that is paused, hooked or starts frozen is refused', () => {
    expect(mintObjection(facts, account, true, 700n)).toBeNull();
    expect(mintObjection(facts, account, false, 700n)).toMatchObject({ kind: 'badge_missing', code: 6080 });
    expect(mintObjection(facts, { ...account, extensions: [18, 19] }, false, 700n)).toBeNull();
    expect(mintObjection(facts, { ...account, paused: true }, true, 700n)).toMatchObject({ kind: 'paused' });
    expect(mintObjection(facts, { ...account, transferHook: 'h' }, true, 700n)).toMatchObject({ kind: 'transfer_hook' });
    expect(mintObjection(facts, { ...account, startsFrozen: true }, true, 700n)).toMatchObject({ kind: 'starts_frozen' });
    expect(mintObjection(facts, null, true, 700n)).toMatchObject({ kind: 'no_mint' });
  });

  test('that takes a transfer fee, now or soon, is refused whatever badge it has', () => {
    const fee = (older: number, newer: number, from: bigint) => ({
      ...account,
      transferFee: { older: { epoch: 0n, maximum: 1n, basisPoints: older }, newer: { epoch: from, maximum: 1n, basisPoints: newer } },
    });
    expect(mintObjection(facts, fee(0, 0, 0n), true, 700n)).toBeNull();
    expect(mintObjection(facts, fee(100, 0, 600n), true, 700n)).toBeNull();
    expect(mintObjection(facts, fee(0, 100, 600n), true, 700n)).toMatchObject({ code: 6081 });
    expect(mintObjection(facts, fee(0, 50, 800n), true, 700n)).toMatchObject({
      code: 6081,
      detail: expect.stringContaining('50 bps'),
    });
    expect(mintObjection(facts, fee(70, 0, 800n), true, 700n)).toMatchObject({ code: 6081 });
    expect(listedObjection({ ...facts, transferFeeBps: 100 })).toMatchObject({ code: 6081 });
    expect(listedObjection(facts)).toBeNull();
  });

  test('of the first token program is always taken, and the native coin of the second never', () => {
    expect(
      mintObjection({ ...facts, program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { ...account, extensions: [] }, false, 1n),
    ).toBeNull();
    expect(mintObjection({ ...facts, mint: '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9' }, account, true, 1n)).toMatchObject({
      code: 6028,
    });
  });
});
