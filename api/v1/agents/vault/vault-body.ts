/** An agent's vault on the wire. */
import { Type } from 'typebox';
import type { VaultChange, VaultView } from '../../../../actors/agent/vault-commands.ts';
import { isoTime } from '../../../../src/domain/values/time.ts';
import { choice, DecimalText, IdText, NullableDecimalText, NullableTime, nullable, StageWord, Time } from '../../../shapes.ts';

export const VaultBody = Type.Object(
  {
    agentId: IdText,
    stage: StageWord,
    ceilingUsd: {
      ...DecimalText,
      description:
        'The most that may be allocated at this stage: nothing before `limited_live`, a tenth of the mandate there, all of it at `live`.',
    },
    allocatedUsd: { ...DecimalText, description: 'Deposits less the cost of redeemed shares.' },
    cashUsd: DecimalText,
    exposureUsd: NullableDecimalText,
    equityUsd: { ...NullableDecimalText, description: 'Cash plus exposure; null while a position has no live quote.' },
    realizedPnlUsd: DecimalText,
    unrealizedPnlUsd: NullableDecimalText,
    feesUsd: DecimalText,
    totalShares: DecimalText,
    sharePriceUsd: NullableDecimalText,
    highWaterMarkUsd: { ...DecimalText, description: 'The highest price of a share so far.' },
    highWaterAt: { ...NullableTime, description: 'ISO 8601.' },
    drawdownPct: nullable('number', 'Drawdown of the share price from its high-water mark.'),
    roundingUsd: { ...DecimalText, description: 'Rounding remainder that belongs to no share.' },
    unpriced: Type.Array(Type.String(), { description: 'Positions without a live quote; while there are any, values are null.' }),
    leftOut: Type.Array(Type.String(), { description: 'Dust of less than one lot without a live quote: it is in no value.' }),
    pricedAt: Time,
    depositors: Type.Array(
      Type.Object({
        depositor: Type.String(),
        shares: DecimalText,
        paidInUsd: DecimalText,
        paidOutUsd: DecimalText,
        valueUsd: NullableDecimalText,
      }),
    ),
  },
  { $id: 'Vault', description: "Live capital only, apart from the operator's manual book and from every paper book." },
);

export function vaultBody(view: VaultView) {
  return {
    agentId: view.agentId,
    stage: view.stage,
    ceilingUsd: view.ceilingUsd,
    allocatedUsd: view.allocatedUsd,
    cashUsd: view.cashUsd,
    exposureUsd: view.exposureUsd,
    equityUsd: view.equityUsd,
    realizedPnlUsd: view.realizedPnlUsd,
    unrealizedPnlUsd: view.unrealizedPnlUsd,
    feesUsd: view.feesUsd,
    totalShares: view.totalShares,
    sharePriceUsd: view.sharePriceUsd,
    highWaterMarkUsd: view.highWaterMarkUsd,
    highWaterAt: view.highWaterAt === null ? null : isoTime(view.highWaterAt),
    drawdownPct: view.drawdownPct,
    roundingUsd: view.roundingUsd,
    unpriced: view.unpriced,
    leftOut: view.leftOut,
    pricedAt: isoTime(view.pricedAt),
    depositors: view.depositors,
  };
}

export const VaultChangeBody = Type.Object(
  {
    change: Type.Integer({ description: "Counts the vault's deposits and withdrawals from 1." }),
    kind: choice(['deposit', 'withdrawal']),
    depositor: Type.String(),
    amountUsd: DecimalText,
    shares: DecimalText,
    sharePriceUsd: { ...DecimalText, description: 'The price of a share at the change, which the change does not move.' },
    stage: StageWord,
    at: Time,
  },
  { $id: 'VaultChange' },
);

export function vaultChangeBody(change: VaultChange) {
  return {
    change: change.change,
    kind: change.kind,
    depositor: change.depositor,
    amountUsd: change.amountUsd,
    shares: change.shares,
    sharePriceUsd: change.sharePriceUsd,
    stage: change.stage,
    at: isoTime(change.at),
  };
}
