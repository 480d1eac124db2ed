/**
 * Execution of one order in a stress run, part by part, by a live proposal's plan: taken after the venue's latency, resting for its
 * window first, or in scheduled slices. The host determines each part's result.
 */
import { type DecimalString } from '../../domain/values/decimal.ts';
import {
  chooseContinuation,
  type EndedPart,
  type ExecutionPlan,
  firstPart,
  isMissed,
  computeRemaining,
  type OrderPart,
  REST_MS,
} from '../../domain/orders/execution-plan.ts';
import { computeNotionalUsd, type Order, resized } from '../../domain/orders/order.ts';
import type { EpochMs } from '../../domain/values/time.ts';

/** Order between its decision and the market. */
export interface SentOrder {
  readonly order: Order;
  readonly decisionPrice: DecimalString;
  readonly plan: ExecutionPlan;
}

/** Market of the run with its risk function and book. */
interface CourseHost {
  now(): EpochMs;
  after(ms: number, call: () => void): void;
  /** Time from a decision to the venue, in milliseconds. */
  readonly latencyMs: number;
  /** Takes what the market offers for a part's order, if risk allows it. Returns the executed quantity. */
  take(order: Order, decisionPrice: DecimalString): DecimalString;
  /** Returns the resting price of an order if risk allows it, or null if it may not rest. */
  place(order: Order): DecimalString | null;
  /** Returns the filled quantity of an order that rested at a price since an instant. */
  rested(order: Order, rest: { readonly price: DecimalString; readonly since: EpochMs }, decisionPrice: DecimalString): DecimalString;
  refuse(reason: string): void;
}

export class OrderCourse {
  readonly sent: SentOrder;
  readonly #host: CourseHost;
  readonly #onEnd: () => void;
  #ended: readonly EndedPart[] = [];
  #startedAt: EpochMs | null = null;
  #isStopped = false;

  /** Sends the first part. Calls `onEnd` once after the last one. */
  constructor(sent: SentOrder, host: CourseHost, onEnd: () => void) {
    this.sent = sent;
    this.#host = host;
    this.#onEnd = onEnd;
    this.#leave(firstPart(sent.plan, sent.order));
  }

  /** Unfilled part of the order in base units, and its reservation in US dollars. */
  get open(): { readonly quantity: DecimalString; readonly notionalUsd: DecimalString } {
    const { order } = this.sent;
    const quantity = computeRemaining(order, this.#ended);
    return { quantity, notionalUsd: this.#ended.length === 0 ? order.notionalUsd : computeNotionalUsd(quantity, order.limitPrice) };
  }

  /** Stops the order: sends nothing more and withdraws the resting part. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#onEnd();
  }

  #leave(part: OrderPart): void {
    const host = this.#host;
    const waitMs = Math.max(0, (part.dueAt ?? 0) - host.now());
    host.after(waitMs + host.latencyMs, () => this.#carry(part));
  }

  #carry(part: OrderPart): void {
    if (this.#isStopped) return;
    const { order, decisionPrice, plan } = this.sent;
    const host = this.#host;
    const at = host.now();
    this.#startedAt ??= at;
    if (isMissed(plan, part, at)) {
      this.#end({ ...part, executedQuantity: '0', reason: 'slice_missed' });
      return;
    }
    const own = part.quantity === order.quantity ? order : resized(order, part.quantity);
    if (part.kind === 'take') {
      this.#end({ ...part, executedQuantity: host.take(own, decisionPrice), reason: null });
      return;
    }
    const price = host.place(own);
    if (price === null) this.#end({ ...part, executedQuantity: '0', reason: 'not_placed' });
    else
      host.after(REST_MS[plan.urgency], () => {
        if (!this.#isStopped) this.#end({ ...part, executedQuantity: host.rested(own, { price, since: at }, decisionPrice), reason: null });
      });
  }

  #end(ended: EndedPart): void {
    const { order, plan } = this.sent;
    const at = this.#host.now();
    const all = [...this.#ended, ended];
    const { missed, part } = chooseContinuation(plan, order, all, { startedAt: this.#startedAt ?? at, at });
    for (const { reason } of missed) this.#host.refuse(reason ?? 'slice_missed');
    this.#ended = [...all, ...missed];
    if (part === null) this.stop();
    else this.#leave(part);
  }
}
