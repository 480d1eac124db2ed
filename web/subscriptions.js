/** Subscriptions of the page over one connection. The service sends each channel once per connection, so parts of the page share one. */

/** @typedef {import('./wire.ts').Message} Message */
/** @typedef {import('./wire.ts').Channel} Channel */
/**
 * @template {Channel} Name
 * @typedef {object} SubscriberTo
 * @property {Name} channel
 * @property {import('./wire.ts').Params<Name>} [params]
 * @property {(frame: import('./wire.ts').Frame<Name>) => void} receive
 * @property {() => void} [begin] Called when the channel starts without a cursor: earlier data must be read again.
 * @property {(detail: string) => void} [refuse]
 */
/** @typedef {SubscriberTo<any>} Subscriber Subscriber to any channel. */
/**
 * Subscription at the service with all its local subscribers. The service sends each channel once per connection.
 * @typedef {Pick<Subscriber, 'channel' | 'params'> & { cursor: string | null, hasBegun: boolean, readonly members: Set<Subscriber> }} Shared
 */

export class Subscriptions {
  /** @type {Map<number, Shared>} */
  #shared = new Map();
  #nextId = 1;

  /** @param {(operation: object) => void} send Does nothing without a connection. */
  constructor(send) {
    this.send = send;
  }

  /** Renews every subscription over a new connection, each from its cursor. */
  askAll() {
    for (const [id, subscription] of this.#shared) this.#ask(id, subscription);
  }

  /** @param {Message} message */
  take(message) {
    if (message.type === 'error') return this.#refused(message);
    if (message.type === 'subscribed') return this.#subscribed(message);
    if (message.type !== 'snapshot' && message.type !== 'update' && message.type !== 'lagged') return;
    for (const subscription of this.#shared.values()) {
      // Before the acknowledgement, frames belong to the previous subscription to this channel.
      if (!subscription.hasBegun || subscription.channel !== message.channel || !concerns(subscription, message)) continue;
      if (message.type !== 'lagged') for (const { receive } of subscription.members) receive(message);
      if (message.cursor !== null) subscription.cursor = message.cursor;
    }
  }

  /**
   * Receives a channel until the returned function is called.
   * @template {Channel} Name
   * @param {SubscriberTo<Name>} subscriber
   * @returns {() => void}
   */
  subscribe(subscriber) {
    const { channel, params } = subscriber;
    const wanted = JSON.stringify(params);
    const same = [...this.#shared].find(([, one]) => one.channel === channel && JSON.stringify(one.params) === wanted);
    const [id, subscription] = same ?? this.#begin(channel, params);
    const member = /** @type {Subscriber} */ (/** @type {unknown} */ (subscriber));
    subscription.members.add(member);
    if (same !== undefined && subscription.hasBegun) this.#tellPresent(id, subscription, member);
    return () => {
      subscription.members.delete(member);
      if (subscription.members.size === 0 && this.#shared.delete(id)) this.send({ op: 'unsubscribe', id });
    };
  }

  /** @param {string} channel @param {Subscriber['params']} params @returns {readonly [number, Shared]} */
  #begin(channel, params) {
    const id = this.#nextId++;
    /** @type {Shared} */
    const made = { channel, ...(params === undefined ? {} : { params }), cursor: null, hasBegun: false, members: new Set() };
    this.#shared.set(id, made);
    this.#ask(id, made);
    return [id, made];
  }

  /** Gives a new subscriber the current state. @param {number} id @param {Shared} subscription @param {Subscriber} subscriber */
  #tellPresent(id, subscription, subscriber) {
    if (subscription.cursor !== null) return queueMicrotask(() => subscription.members.has(subscriber) && subscriber.begin?.());
    // A channel without cursors sends its state at the start of a subscription.
    this.send({ op: 'unsubscribe', id });
    this.#ask(id, subscription);
  }

  /** @param {number} id @param {Shared} subscription */
  #ask(id, { channel, params, cursor }) {
    this.send({ op: 'subscribe', id, channel, ...(params === undefined ? {} : { params }), ...(cursor === null ? {} : { from: cursor }) });
  }

  /** @param {Extract<Message, { type: 'subscribed' }>} message */
  #subscribed(message) {
    const subscription = this.#shared.get(Number(message.id));
    if (subscription === undefined) return;
    const fresh = subscription.cursor === null;
    subscription.cursor = message.cursor ?? subscription.cursor;
    subscription.hasBegun = true;
    if (fresh) for (const { begin } of subscription.members) begin?.();
  }

  /** @param {Extract<Message, { type: 'error' }>} message */
  #refused({ id: asked, code, detail }) {
    const id = Number(asked);
    const subscription = this.#shared.get(id);
    if (subscription === undefined) return;
    if (code === 'invalid_cursor' && subscription.cursor !== null) {
      // The cursor is unknown, for example after the database was replaced: start again from the current state.
      subscription.cursor = null;
      this.#ask(id, subscription);
    } else for (const { refuse } of subscription.members) refuse?.(detail);
  }
}

/**
 * True if a frame belongs to a subscription. Several of one channel differ by their actor.
 * @param {Pick<Subscriber, 'params'>} subscription
 * @param {Extract<Message, { type: 'snapshot' | 'update' | 'lagged' }>} frame
 */
function concerns({ params }, { type, data }) {
  const { agentId, actorId } = /** @type {{ readonly agentId?: string, readonly actorId?: string }} */ (params ?? {});
  const wanted = agentId ?? actorId;
  if (wanted === undefined) return true;
  if (type === 'snapshot' || type === 'lagged') return false;
  return ('agentId' in data && data.agentId === wanted) || ('actorId' in data && data.actorId === wanted);
}
