/** POST /v1/launches/dbc/preview: computes a curve before it is on the chain. */
import { type Static, Type } from 'typebox';
import { type LaunchPreview, previewOf } from '../../../src/domain/launch/preview.ts';
import type { TokenDollars } from '../../../src/domain/launch/quote-tokens.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { refuse } from '../../../src/domain/values/refusal.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { DecimalText, NullableDecimalText, nullable, objectOf, Time } from '../../shapes.ts';
import { CURVE_FIELDS, LadderBody, PresetWord, QuoteTokenBody, quotedWish, quoteTokenBody } from './launch-body.ts';

const PreviewBody = Type.Object(
  {
    preset: PresetWord,
    quote: QuoteTokenBody,
    startingPrice: DecimalText,
    startingFdv: DecimalText,
    graduationPrice: DecimalText,
    graduationFdv: DecimalText,
    graduationThreshold: Type.String({ description: 'Amount that the curve collects until it graduates, in whole quote tokens.' }),
    dollars: Type.Object(
      {
        startingPrice: NullableDecimalText,
        graduationThreshold: NullableDecimalText,
        pricedBy: nullable('string', 'The live quote that says so; null if nothing live prices the quote token, or it is a dollar.'),
        at: Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'] }),
      },
      { description: 'All null while nothing live prices the quote token.' },
    ),
    ladder: LadderBody,
    fees: Type.Array(
      Type.Object({
        at: Type.Integer({ description: 'Seconds after trading begins.' }),
        bps: DecimalText,
        volatilityBps: Type.String({ description: 'Maximum of the volatility fee.' }),
      }),
    ),
    feeShares: Type.Object({ protocolPct: DecimalText, referralPct: DecimalText, creatorPct: DecimalText, partnerPct: DecimalText }),
    supply: Type.Object({ total: DecimalText, onCurve: DecimalText, successorPool: DecimalText, vesting: DecimalText }),
    vesting: Type.Union([
      Type.Object({
        supplyPct: Type.Number(),
        total: DecimalText,
        cliff: DecimalText,
        perPeriod: DecimalText,
        periods: Type.Integer(),
        periodSeconds: Type.Integer(),
        durationSeconds: Type.Integer(),
      }),
      Type.Null(),
    ]),
    successorPool: Type.Object({ feeBps: Type.Integer(), dynamicFee: Type.Boolean(), lockedPct: Type.Integer() }),
  },
  { $id: 'LaunchPreview' },
);

function inDollars(preview: LaunchPreview, dollars: TokenDollars | null): Static<typeof PreviewBody>['dollars'] {
  const times = (amount: DecimalString): DecimalString | null =>
    dollars === null ? null : plainDecimal(new Decimal(amount).times(dollars.perToken).toSignificantDigits(18));
  return {
    startingPrice: times(preview.startingPrice),
    graduationThreshold: times(preview.graduationThreshold),
    pricedBy: dollars?.instrument ?? null,
    at: dollars === null ? null : new Date(dollars.observedAt).toISOString(),
  };
}

export const previewLaunch = defineRoute({
  method: 'POST',
  url: '/v1/launches/dbc/preview',
  name: 'previewLaunch',
  tag: 'launches',
  summary: 'Previews a bonding-curve launch',
  description:
    'Computes the curve that the preset makes of these values, in the same integers that a launch would put on the chain, without asking the chain. A quote mint that the program would refuse is previewed too, with the reason.',
  permission: 'market:read',
  cost: 'read',
  schema: { body: objectOf(CURVE_FIELDS) },
  answers: { 200: { description: 'The curve.', schema: PreviewBody } },
  refusals: ['launch_refused'],
  handle: (ports) => (request, reply) => {
    const quoted = quotedWish(ports.launchQuotes, request.body);
    if (!quoted.ok) return sendRefusal(reply, quoted.refusal);
    const { wish, token } = quoted.value;
    let preview: LaunchPreview;
    try {
      preview = previewOf(wish);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return sendRefusal(reply, refuse('launch_refused', `no curve has these values: ${error.message}`).refusal);
    }
    const body: Static<typeof PreviewBody> = {
      preset: wish.preset.key,
      quote: quoteTokenBody(token),
      ...preview,
      dollars: inDollars(preview, ports.launchQuotes.dollars(token)),
      ladder: [...preview.ladder],
      fees: [...preview.fees],
    };
    return body;
  },
});
