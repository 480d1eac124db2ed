/** Launches on a bonding curve: presets, preview, preparation and submission. */
import { type Static, Type } from 'typebox';
import { NO_LAUNCH } from '../../../actors/launch/commands.ts';
import type { Launch } from '../../../actors/launch/resource.ts';
import type { LauncherLaunch } from '../../../actors/launcher-launch/resource.ts';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { type CurveWish, wishProblem } from '../../../src/domain/launch/curve/curve-config.ts';
import { type LaunchPreview, previewCurve } from '../../../src/domain/launch/launch-preview.ts';
import { DBC_PRESETS, findPreset, type LaunchPreset, PRESET_KEYS } from '../../../src/domain/launch/presets.ts';
import { listedObjection } from '../../../src/domain/launch/quote-mint.ts';
import type { QuoteToken, TokenDollars } from '../../../src/domain/launch/quote-tokens.ts';
import { TOKEN_2022 } from '../../../src/domain/solana/programs.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { type Outcome, refuse } from '../../../src/domain/values/refusal.ts';
import type { LaunchQuotes } from '../../../src/trading/launch-quotes.ts';
import { malformed } from '../../http/strict-json.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath, isUuid } from '../../identifier.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, IdText, NullableDecimalText, nullable, objectSchema, shownText, Time, walletAddress } from '../../shapes.ts';
import { checkedAddress, TAKES_SIGNED_TRANSACTION } from '../signed-transaction.ts';
import { AnyLaunchBody, anyLaunchBody, LaunchBody, LaunchPath, launchBody } from './launch-body.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly launchQuotes: LaunchQuotes;
  }
}

const PresetWord = choice(PRESET_KEYS);

const DEFAULT_SUPPLY = '1000000000';
const DEFAULT_DECIMALS = 6;

/** Fields of every request that describes a curve. */
const CURVE_FIELDS = {
  preset: PresetWord,
  quoteMint: Type.String({
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
    description: 'The mint that the token is bought with: the native coin (wrapped), the stablecoin, a tokenized share or a pre-IPO token.',
  }),
  startingFdv: Type.String({
    pattern: '^\\d{1,15}(\\.\\d{1,9})?$',
    description:
      'Fully diluted value at the start, in whole quote tokens (raw units over 10^decimals, before any multiplier of the issuer).',
  }),
  totalSupply: Type.Optional(
    Type.String({ pattern: '^[1-9]\\d{0,18}$', description: `Whole tokens; ${DEFAULT_SUPPLY} where it is left out.` }),
  ),
  decimals: Type.Optional(
    Type.Integer({ minimum: 6, maximum: 9, description: `Decimals of the new token. Default: ${DEFAULT_DECIMALS}.` }),
  ),
};
const CurveFields = objectSchema(CURVE_FIELDS);

/** A request, and the token it is quoted in. */
interface QuotedWish {
  readonly wish: CurveWish;
  readonly token: QuoteToken;
}

/** Reads the request. @throws InputError if a number is out of range. */
function quotedWish(quotes: LaunchQuotes, body: Static<typeof CurveFields>): Outcome<QuotedWish> {
  const { preset, startingFdv, totalSupply = DEFAULT_SUPPLY, decimals = DEFAULT_DECIMALS } = body;
  const problem = wishProblem({ startingFdv, totalSupply, decimals });
  if (problem !== null) {
    const [path = '$', said = problem] = problem.split(/: (.*)/s);
    throw malformed(path, said, 'values that a curve can hold');
  }
  const token = quotes.token(body.quoteMint);
  if (token === null)
    return refuse(
      'launch_refused',
      `${body.quoteMint} cannot be a quote token: use the native coin, the stablecoin, a tokenized stock or a pre-IPO token`,
    );
  return {
    ok: true,
    value: { wish: { preset: findPreset(preset), startingFdv, totalSupply, decimals, quoteDecimals: token.decimals }, token },
  };
}

const QuoteTokenBody = Type.Object(
  {
    mint: Type.String(),
    symbol: Type.String(),
    kind: choice(['native', 'stable', 'tokenized_equity', 'pre_ipo']),
    decimals: Type.Integer(),
    multiplier: Type.Number({ description: 'UI units of one whole token.' }),
    needsBadge: Type.Boolean({
      description: 'The program takes the mint with a token badge only; the chain is asked when the launch is prepared.',
    }),
    refusedBecause: nullable('string', 'Reason the program would refuse this quote token; null if none is known.'),
    programError: nullable('integer', "The program's own number for that."),
  },
  { $id: 'LaunchQuoteToken' },
);

function quoteTokenBody(token: QuoteToken): Static<typeof QuoteTokenBody> {
  const objection = listedObjection(token);
  const { mint, symbol, kind, decimals, multiplier } = token;
  return {
    mint,
    symbol,
    kind,
    decimals,
    multiplier,
    needsBadge: token.program === TOKEN_2022,
    refusedBecause: objection?.detail ?? null,
    programError: objection?.code ?? null,
  };
}

const LadderBody = Type.Array(Type.Object({ fillPct: Type.Number(), price: DecimalText, sold: DecimalText }), {
  description: 'Ten steps: the price of one token in whole quote tokens, and how many tokens are sold until there.',
});

const PresetBody = Type.Object(
  {
    key: PresetWord,
    graduationMultiple: Type.Number({ description: 'Fully diluted value at graduation, as a multiple of the one at the start.' }),
    antiSniperFee: Type.Object({
      startBps: Type.Integer(),
      endBps: Type.Integer(),
      decay: choice(['linear', 'exponential']),
      durationSeconds: Type.Integer(),
      periods: Type.Integer(),
    }),
    creatorFeeSharePct: Type.Number({ description: "Creator's percentage of each trading fee, after the protocol's part." }),
    lockedVesting: Type.Object({
      supplyPct: Type.Number(),
      durationSeconds: Type.Integer({ description: 'After graduation.' }),
    }),
    migratedPool: Type.Object({ feeBps: Type.Integer(), dynamicFee: Type.Boolean() }),
  },
  { $id: 'LaunchPreset' },
);

function presetBody({ vesting, ...preset }: LaunchPreset) {
  return { ...preset, lockedVesting: { supplyPct: vesting.supplyPct, durationSeconds: vesting.durationSeconds } };
}

export const listPresets = defineRoute({
  method: 'GET',
  url: '/v1/launches/dbc/presets',
  name: 'listLaunchPresets',
  tag: 'launches',
  summary: 'The presets of bonding-curve launches',
  permission: 'market:read',
  cost: 'read',
  schema: {},
  answers: { 200: { description: 'All of them.', schema: Type.Object({ items: Type.Array(PresetBody) }) } },
  refusals: [],
  handle: () => () => ({ items: DBC_PRESETS.map(presetBody) }),
});

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
  schema: { body: objectSchema(CURVE_FIELDS) },
  answers: { 200: { description: 'The curve.', schema: PreviewBody } },
  refusals: ['launch_refused'],
  handle: (ports) => (request, reply) => {
    const quoted = quotedWish(ports.launchQuotes, request.body);
    if (!quoted.ok) return sendRefusal(reply, quoted.refusal);
    const { wish, token } = quoted.value;
    let preview: LaunchPreview;
    try {
      preview = previewCurve(wish);
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

export const prepareLaunch = defineRoute({
  method: 'POST',
  url: '/v1/launches/dbc/prepare',
  name: 'prepareLaunch',
  tag: 'launches',
  summary: 'Prepares a bonding-curve launch',
  description:
    'Builds the transaction (or two, if one is too small) that creates the configuration and pool of the curve, with an optional first buy. New keys for the mint and configuration sign here and are discarded; the creator signs last. The transactions are simulated in order against the node and the exact messages are stored before the answer.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectSchema({
      ...CURVE_FIELDS,
      name: shownText(32),
      symbol: Type.String({ pattern: '^[A-Za-z0-9]{1,10}$' }),
      uri: Type.String({ minLength: 9, maxLength: 200, description: "Address of the token's metadata (https)." }),
      creator: walletAddress("The wallet that signs, pays, and gets the creator's part of the fees; base58."),
      firstBuy: Type.Optional(
        Type.String({
          pattern: '^\\d{1,15}(\\.\\d{1,9})?$',
          description: 'Whole quote tokens that the creator buys with in the same transaction as the pool.',
        }),
      ),
      agentId: Type.Optional(IdText),
      takeId: Type.Optional(IdText),
    }),
  },
  idempotent: true,
  answers: {
    201: {
      description: 'The launch and its transactions.',
      schema: Type.Object(
        {
          id: IdText,
          mint: Type.String(),
          config: Type.String(),
          transactions: Type.Array(Type.String(), {
            description: 'Base64, in the order in which they land; sign each and submit them together.',
          }),
          lastValidBlockHeight: Type.Integer(),
          expiresAt: Time,
          launch: LaunchBody,
        },
        { $id: 'PreparedLaunch' },
      ),
    },
  },
  refusals: [
    'launch_refused',
    'not_found',
    'halted',
    'state_conflict',
    'blocked_by_risk',
    'feature_disabled',
    'too_many_prepared',
    'external_not_listable',
  ],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { name, symbol, uri, creator, firstBuy = null, agentId = null, takeId = null, ...curve } = request.body;
      if (agentId !== null && takeId !== null)
        throw malformed('$.takeId', 'agentId and takeId exclude each other', 'one of the two, or none');
      const signer = checkedAddress(creator);
      const quoted = quotedWish(ports.launchQuotes, curve);
      if (!quoted.ok) return sendRefusal(reply, quoted.refusal);
      const { wish, token } = quoted.value;
      return carryOut(request, reply, {
        status: 201,
        answer: ({ launch, transactions, lastValidBlockHeight, expiresAt }) => ({
          id: launch.id,
          mint: launch.mint,
          config: launch.config,
          transactions: [...transactions],
          lastValidBlockHeight,
          expiresAt: new Date(expiresAt).toISOString(),
          launch: launchBody(launch, ports.clock.now()),
        }),
        run: async (context) => {
          // The launch may name an agent of the caller's organization. Another organization's agent is reported as missing.
          if (agentId !== null && (!isUuid(agentId) || (await ports.agents.reads.get(context.orgId, agentId)) === null))
            return refuse('not_found', NO_AGENT);
          return ports.launches.commands.prepare(context, {
            curve: wish,
            token,
            names: { name, symbol, uri },
            creator: signer,
            firstBuy,
            agentId,
            takeId,
          });
        },
      });
    };
  },
});

const SignedText = Type.String({ minLength: 4, maxLength: 100_000, pattern: '^[A-Za-z0-9+/]+={0,2}$' });

export const submitLaunch = defineRoute({
  method: 'POST',
  url: '/v1/launches/:id/submit',
  name: 'submitLaunch',
  tag: 'launches',
  summary: 'Submits the signed transactions of a launch',
  description:
    'Every signed transaction must carry its prepared message, byte for byte, and every signature that it needs. They are sent one after the other, each after the one before it is confirmed, and followed to finality. The new mint is an instrument of the catalog once the launch trades. Submitting the same bytes again answers the present state. A launch by the external launcher takes its signed `payment` instead: it is compared as strictly and sent once, and the launcher is asked until it launches; where it declines, submitting the same payment again asks it once more.',
  permission: 'trade:execute',
  ...TAKES_SIGNED_TRANSACTION,
  schema: {
    params: LaunchPath,
    body: objectSchema({
      transactions: Type.Optional(
        Type.Array(SignedText, {
          minItems: 1,
          maxItems: 2,
          description: 'Signed transactions of a launch on a bonding curve: base64, in the order in which they were prepared.',
        }),
      ),
      payment: Type.Optional(SignedText),
    }),
  },
  answers: { 202: { description: 'The launch, submitted.', schema: AnyLaunchBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_LAUNCH);
      const { transactions, payment } = request.body;
      if ((transactions === undefined) === (payment === undefined))
        throw malformed(
          '$',
          'one of `transactions` and `payment` is handed in',
          '`transactions` of a curve, or the `payment` to the launcher',
        );
      return carryOut(request, reply, {
        status: 202,
        answer: (launch: Launch | LauncherLaunch) => anyLaunchBody(launch, ports.clock.now()),
        run: async (context): Promise<Outcome<Launch | LauncherLaunch>> =>
          transactions === undefined
            ? ports.launches.launcher.submit(context, id, payment as string)
            : ports.launches.commands.submit(context, id, transactions),
      });
    };
  },
});
