/** A basis policy on the wire: a Take with named thresholds. */
import { Type } from 'typebox';
import { type TakeView, take } from '../../../actors/take/resource.ts';
import { policyOf } from '../../../src/domain/basis/policy.ts';
import { DecimalText } from '../../shapes.ts';

export const PolicyBody = Type.Object(
  {
    ...take.wire,
    enterDiscountPct: Type.Number(),
    exitDiscountPct: Type.Number(),
    notionalUsd: DecimalText,
    maxHoldHours: Type.Number(),
  },
  { $id: 'BasisPolicy', description: 'Evaluated as a Take: its decisions, history and chart are those of GET /v1/takes/:id/….' },
);

export function policyBody(view: TakeView) {
  return { ...take.body(view), ...policyOf(view.take) };
}

export const NO_POLICY = 'there is no basis policy with this id';
