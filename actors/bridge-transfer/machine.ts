/**
 * The state chart of a bridge transfer: quoted, submitted, then the state that the three axes give. Durable timers follow it until both
 * chains have finalized the outcome. A provider's report alone never ends it.
 */
import { assign, setup } from 'xstate';
import {
  type Attention,
  delayAfterMs,
  FIRST_AXES,
  type TransferStatus,
  seen,
  judgeTransferStatus,
  type TrackedState,
  type TransferAxes,
  type Sighting,
} from '../../src/domain/bridge/axes.ts';
import { effect } from '../runtime/actor-kind.ts';
import { MINUTE_MS, type EpochMs } from '../../src/domain/values/time.ts';
import type { TransferTerms } from '../../src/domain/bridge/transfer.ts';
import type { BridgeTransfer, BridgeTransferTerms } from './resource.ts';

/** The quote of a transfer. Plain JSON. */
export interface BridgeTransferInput extends Omit<TransferTerms, 'hash' | 'nonce'>, Omit<BridgeTransferTerms, keyof TransferTerms> {
  /** Control epoch of the organization when it was quoted. A halt ends the quote. */
  readonly epoch: number;
}

/** Context of a transfer. Plain JSON, stored in the snapshot. */
export interface BridgeTransferContext
  extends BridgeTransferInput,
    Pick<BridgeTransfer, 'hash' | 'submittedBy' | 'submittedAt' | 'axes' | 'attentions' | 'delayedAt' | 'endedAt' | 'broadcast'> {
  /** Signed source transaction: base64 on the primary chain, hexadecimal on the EVM chain. Null if the wallet sent it itself. */
  readonly signed: string | null;
  readonly nonce: number | null;
  /** Start of the read that last changed the axes, or null before. */
  readonly seenAt: EpochMs | null;
  /** Warnings that operators were told. Each is told once. */
  readonly told: readonly Attention[];
  readonly leaseUntil: EpochMs | null;
  /** Number of reads since the last change. */
  readonly looks: number;
}

/** Result of an activity. */
export type BridgeAnswer =
  | { readonly outcome: 'seen'; readonly sighting: Sighting }
  /** Result of a broadcast: accepted, refused or unknown. */
  | { readonly outcome: 'sent' | 'refused' | 'uncertain'; readonly detail: string | null; readonly lease: EpochMs | null }
  /** A halt or another step came first: this attempt sent nothing. */
  | { readonly outcome: 'superseded'; readonly reason: string };

export interface BridgeSubmission {
  readonly signed: string | null;
  readonly hash: string;
  readonly nonce: number | null;
  readonly subject: string;
  readonly at: EpochMs;
}

type BridgeTransferEvent =
  | ({ readonly type: 'submit' } & BridgeSubmission)
  /** The provider pushed a change: a hint to read at once. The content of the push is not trusted. */
  | { readonly type: 'provider.moved' }
  /** The lease to send is taken. From now on the bytes may be on the chain. */
  | { readonly type: 'execution.begun'; readonly key: string; readonly leaseUntil: EpochMs; readonly leaseMs: number }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: BridgeAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };

/** First delay in milliseconds before a transfer is read again. It grows to a minute while nothing changes. */
const LOOK_SOON_MS = 3_000;
const LOOK_RARELY_MS = MINUTE_MS;
/** Interval of reads in milliseconds after about an hour without change. */
const LOOK_SELDOM_MS = 600_000;
const LONG_LOOKS = 60;

/** Warnings that operators are told at once. The others are only shown with the transfer. */
const TOLD: ReadonlySet<Attention> = new Set<Attention>([
  'source_reorged',
  'other_transaction',
  'provider_ahead_of_source',
  'provider_contradicts_source',
  'fill_failed_on_chain',
  'fill_older_than_quote',
  'fill_of_another_transfer',
  'refund_failed',
  'refund_failed_on_chain',
  'refund_older_than_quote',
  'refund_of_another_transfer',
  'refunded_short',
  'partial_fill',
  'filled_and_refunded',
]);

interface EventArgs {
  readonly context: BridgeTransferContext;
  readonly event: BridgeTransferEvent;
}

/** Returns the axes after an event, and the state they give. */
function after({ context, event }: EventArgs): { readonly axes: TransferAxes; readonly status: TransferStatus } {
  const sighting = event.type === 'activity.done' && event.answer.outcome === 'seen' ? event.answer.sighting : null;
  // Reads may overtake one another. A read that began before the last news is outdated.
  const isNews = sighting !== null && sighting.at >= (context.seenAt ?? 0);
  const axes = isNews ? seen(context.axes, sighting) : context.axes;
  return { axes, status: judgeTransferStatus(axes, context) };
}

const leadsTo =
  (state: TrackedState) =>
  (args: EventArgs): boolean =>
    isSighting(args) && after(args).status.state === state;

function isSighting({ event }: Pick<EventArgs, 'event'>): boolean {
  return event.type === 'activity.done' && event.answer.outcome === 'seen';
}

function hasChanged(args: EventArgs): boolean {
  return isSighting(args) && spelled(after(args).axes) !== spelled(args.context.axes);
}

/** Returns the axes as text, without the fields that change at every read. */
function spelled({ source, ...axes }: TransferAxes): string {
  return JSON.stringify({ ...axes, source: { ...source, confirmations: 0 } });
}

/** Returns the warnings that operators were not told yet. */
function untold(args: EventArgs): readonly Attention[] {
  return after(args).status.attentions.filter((attention) => TOLD.has(attention) && !args.context.told.includes(attention));
}

const TAKE_LEASE = {
  type: 'takeLease',
  params: ({ event }: EventArgs) => ({ forMs: event.type === 'execution.begun' ? event.leaseMs : 0 }),
} as const;
const END_LEASE = {
  type: 'endLease',
  params: ({ event }: EventArgs) => ({ lease: event.type === 'activity.done' && 'lease' in event.answer ? event.answer.lease : null }),
} as const;
const TELL = { type: 'tellAttentions', params: (args: EventArgs) => ({ attentions: untold(args) }) } as const;
const alert = (what: string) => ({ type: 'alertOperators', params: { what } }) as const;

/** Announces before remembering, because the announcement compares with what was remembered. */
const REMEMBER = [TELL, 'rememberAxes'] as const;
const SHOW = ['projectTransfer', 'announceTransfer'] as const;

const FOLLOWED = ['submitted', 'source_confirmed', 'source_final', 'filling', 'refunding', 'unknown'] as const;
type Followed = (typeof FOLLOWED)[number];

/** Final states confirmed by both chains. */
const ENDS = (['completed', 'refunded', 'failed'] as const).map(
  (end) => ({ guard: `leadsTo_${end}`, target: `#bridge_transfer@1.${end}`, actions: [...REMEMBER, 'rememberEnd'] }) as const,
);

/** Returns a followed state: it reads on entry and by a timer, and goes where the axes lead. */
function followed(state: Followed) {
  const others = FOLLOWED.filter((other) => other !== state);
  return {
    entry: 'lookAtTransfer',
    after: { lookAgain: { target: state, reenter: true, actions: 'countLook' } },
    on: {
      'provider.moved': { target: state, reenter: true },
      'activity.done': [
        ...ENDS,
        ...others.map((other) => ({ guard: `leadsTo_${other}`, target: other, actions: [...REMEMBER, ...SHOW] }) as const),
        { guard: 'hasChangedUnseen', actions: [...REMEMBER, ...SHOW, 'broadcastSource'] },
        { guard: 'hasChanged', actions: [...REMEMBER, ...SHOW] },
        { guard: 'waitsForSource', actions: 'broadcastSource' },
        { guard: 'isSighting', actions: ['rememberConfirmations', 'projectTransfer'] },
        { guard: 'isSending', actions: ['rememberBroadcast', END_LEASE, 'projectTransfer'] },
        {},
      ],
    },
  } as const;
}

export const bridgeTransferMachine = setup({
  types: { context: {} as BridgeTransferContext, events: {} as BridgeTransferEvent, input: {} as BridgeTransferInput },
  actions: {
    projectTransfer: effect<undefined>(),
    announceTransfer: effect<undefined>(),
    /** Assigns final arrivals to this transfer. The database refuses an arrival that another transfer has taken. */
    settleArrivals: effect<undefined>(),
    /** Makes the database refuse the step if a halt came meanwhile. */
    requireEpoch: effect<undefined>(),
    lookAtTransfer: effect<undefined>(),
    broadcastSource: effect<undefined>(),
    takeLease: effect<{ readonly forMs: number }>(),
    endLease: effect<{ readonly lease: number | null }>(),
    alertOperators: effect<{ readonly what: string }>(),
    tellAttentions: effect<{ readonly attentions: readonly Attention[] }>(),
    rememberSubmission: assign(({ event }) =>
      event.type === 'submit'
        ? { signed: event.signed, hash: event.hash, nonce: event.nonce, submittedBy: event.subject, submittedAt: event.at }
        : {},
    ),
    rememberLease: assign({
      leaseUntil: ({ context, event }) => (event.type === 'execution.begun' ? event.leaseUntil : context.leaseUntil),
    }),
    rememberBroadcast: assign(({ event }) =>
      event.type === 'activity.done' && 'lease' in event.answer
        ? { broadcast: { outcome: event.answer.outcome, detail: event.answer.detail } }
        : {},
    ),
    rememberAxes: assign((args) => {
      const { axes, status } = after(args);
      const seenAt = args.event.type === 'activity.done' && args.event.answer.outcome === 'seen' ? args.event.answer.sighting.at : null;
      return { axes, seenAt, attentions: status.attentions, told: [...args.context.told, ...untold(args)], looks: 0 };
    }),
    rememberConfirmations: assign({ axes: (args) => after(args).axes }),
    rememberEnd: assign({
      endedAt: ({ context, event }) =>
        event.type === 'activity.done' && event.answer.outcome === 'seen' ? event.answer.sighting.at : context.expiresAt,
    }),
    rememberDelay: assign({
      delayedAt: ({ context }) => (context.submittedAt ?? context.createdAt) + delayAfterMs(context.estimatedSeconds),
    }),
    countLook: assign({ looks: ({ context }) => context.looks + 1 }),
  },
  guards: {
    leadsTo_submitted: leadsTo('submitted'),
    leadsTo_source_confirmed: leadsTo('source_confirmed'),
    leadsTo_source_final: leadsTo('source_final'),
    leadsTo_filling: leadsTo('filling'),
    leadsTo_refunding: leadsTo('refunding'),
    leadsTo_unknown: leadsTo('unknown'),
    leadsTo_completed: leadsTo('completed'),
    leadsTo_refunded: leadsTo('refunded'),
    leadsTo_failed: leadsTo('failed'),
    hasChanged,
    hasChangedUnseen: (args) => hasChanged(args) && waitsForSource(args),
    isSighting,
    waitsForSource: (args) => isSighting(args) && waitsForSource(args),
    isSending: ({ event }) => event.type === 'activity.done' && 'lease' in event.answer,
    isOnTime: ({ context }) => context.delayedAt === null,
    isInTime: ({ context, event }) => event.type === 'submit' && event.at < context.expiresAt,
  },
  delays: {
    expireAfter: ({ context }) => Math.max(0, context.expiresAt - context.createdAt),
    delayAfter: ({ context }) => delayAfterMs(context.estimatedSeconds),
    lookAgain: ({ context: { looks } }) =>
      Math.min(LOOK_SOON_MS * 2 ** Math.min(looks, 10), looks > LONG_LOOKS ? LOOK_SELDOM_MS : LOOK_RARELY_MS),
  },
}).createMachine({
  id: 'bridge_transfer@1',
  context: ({ input }) => ({
    ...input,
    signed: null,
    hash: null,
    nonce: null,
    submittedBy: null,
    submittedAt: null,
    axes: FIRST_AXES,
    seenAt: null,
    attentions: [],
    told: [],
    delayedAt: null,
    endedAt: null,
    broadcast: null,
    leaseUntil: null,
    looks: 0,
  }),
  initial: 'placed',
  states: {
    /** Transient first state. */
    placed: { entry: 'requireEpoch', always: 'quoted' },
    /** An offer with its unsigned transaction, not signed yet. */
    quoted: {
      entry: 'projectTransfer',
      after: { expireAfter: { target: 'expired', actions: 'rememberEnd' } },
      on: {
        submit: {
          guard: 'isInTime',
          target: 'tracking',
          actions: ['requireEpoch', 'rememberSubmission', 'projectTransfer', 'announceTransfer', 'broadcastSource'],
        },
      },
    },
    /** Submitted: the money may be on its way. Only the chains' state leads out. */
    tracking: {
      initial: 'submitted',
      after: {
        delayAfter: {
          guard: 'isOnTime',
          actions: ['rememberDelay', 'projectTransfer', 'announceTransfer', alert('bridge_transfer_delayed')],
        },
      },
      on: {
        'execution.begun': { actions: ['requireEpoch', 'rememberLease', TAKE_LEASE] },
        'activity.given_up': {},
      },
      states: {
        /** No known block holds the source transaction. That is never a failure. */
        submitted: followed('submitted'),
        source_confirmed: followed('source_confirmed'),
        source_final: followed('source_final'),
        filling: followed('filling'),
        /** The money is owed back, but not back yet. */
        refunding: followed('refunding'),
        /** The provider and the chains contradict each other. */
        unknown: followed('unknown'),
      },
    },
    /** The destination chain shows the money, finalized. */
    completed: { type: 'final', entry: ['settleArrivals', ...SHOW, alert('bridge_transfer_completed')] },
    /** The source chain shows the money returned, finalized. */
    refunded: { type: 'final', entry: ['settleArrivals', ...SHOW, alert('bridge_transfer_refunded')] },
    /** Proven that the money never left. */
    failed: { type: 'final', entry: [...SHOW, alert('bridge_transfer_failed')] },
    /** A quote that was not submitted in time. */
    expired: { type: 'final', entry: 'projectTransfer' },
  },
});

/** True while no block holds the source transaction. The same bytes are then sent again. */
function waitsForSource(args: EventArgs): boolean {
  const { state } = after(args).axes.source;
  return args.context.signed !== null && (state === 'unseen' || state === 'reorged');
}
