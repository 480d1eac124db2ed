/** A websocket with Stately's inspection protocol: the steps of an organization's actors, or one actor with its past. */
import type { WebSocket } from '@fastify/websocket';
import type { PastState } from '../../actors/runtime/actor-history.ts';
import type { ActorLives, LivedStep } from '../../actors/runtime/actor-life.ts';
import type { AnnouncementRow } from '../../src/adapters/store/actors/announced-rows.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { Caller } from '../caller.ts';
import { storedId } from '../identifier.ts';
import type { FeedPorts } from './feed-ports.ts';
import { CLOSE } from './frames.ts';
import type { InspectionPorts } from './inspected-actors.ts';
import { actorMessage, type InspectedActor, stepMessages } from './stately-messages.ts';
import { type EndReason, pickToken, UNANSWERED_BEATS, type Watch, type Watched } from './watch.ts';

/** Maximum unread bytes of a visualizer. Beyond it the socket is closed. */
const MOST_BUFFERED = 8 * 1024 * 1024;

/** Parameters of one inspection. */
interface InspectionWish {
  readonly actorId: string | null;
  /** Version after which past steps are sent, or null for none. Only with `actorId`. */
  readonly from: number | null;
}

/** Reads the parameters of a query: `actorId`, and with it `from`. */
export function readInspectionWish(query: { readonly [name: string]: unknown }): Outcome<InspectionWish> {
  const { actorId, from, ...stray } = query;
  const [unknown] = Object.keys(stray);
  if (unknown !== undefined) return refuse('malformed', `query.${unknown.slice(0, 80)}: unknown field; allowed are actorId and from`);
  const id = typeof actorId === 'string' ? storedId(actorId) : null;
  if (actorId !== undefined && id === null) return refuse('malformed', 'query.actorId: the id of an actor is a UUID');
  if (from === undefined) return { ok: true, value: { actorId: id, from: null } };
  if (id === null) return refuse('malformed', 'query.from: the past is sent for one actor only: give actorId too');
  if (typeof from !== 'string' || !/^\d{1,12}$/.test(from))
    return refuse('malformed', 'query.from: the version that the first step follows, 0 for all');
  return { ok: true, value: { actorId: id, from: Number(from) } };
}

const ENDS: { readonly [reason in EndReason]: readonly [number, string] } = {
  token_expired: [CLOSE.tokenExpired, 'the token has expired'],
  token_revoked: [CLOSE.tokenRevoked, 'the token was taken back'],
  permission_lost: [CLOSE.permissionLost, 'a permission was withdrawn'],
  unverifiable: [CLOSE.tryAgainLater, 'permissions could not be read; connect again'],
  restarting: [CLOSE.restarting, 'the service restarts'],
};

/** Ports of the feeds in a service with actors to inspect. */
export type InspectedPorts = FeedPorts & { readonly inspection: InspectionPorts };

interface InspectionDeps {
  readonly ports: InspectedPorts;
  readonly watch: Watch;
}

/** Serves an inspection until its socket closes. The caller must be allowed to see the organization's actors. */
export function serveInspector(
  socket: WebSocket,
  caller: Caller & { readonly orgId: string },
  wish: InspectionWish,
  deps: InspectionDeps,
): void {
  new Inspection(socket, caller, wish, deps).begin();
}

class Inspection {
  readonly #socket: WebSocket;
  readonly #orgId: string;
  readonly #wish: InspectionWish;
  readonly #ports: InspectedPorts;
  readonly #watch: Watch;
  readonly #watched: Watched;
  readonly #lives: ActorLives;
  /** Last state sent of each actor. */
  readonly #told = new Map<string, PastState>();
  readonly #waiting: AnnouncementRow[] = [];
  #isTelling = true;
  #missed = 0;
  #unsubscribe = (): void => {};

  constructor(socket: WebSocket, caller: Caller & { readonly orgId: string }, wish: InspectionWish, { ports, watch }: InspectionDeps) {
    this.#socket = socket;
    this.#orgId = caller.orgId;
    this.#wish = wish;
    this.#ports = ports;
    this.#watch = watch;
    this.#lives = ports.inspection.lives(caller.orgId);
    this.#watched = {
      ...pickToken(caller),
      stand: (next) => next.orgId === this.#orgId && next.permissions.includes('agent:read'),
      beat: () => this.#beat(),
      end: (reason) => {
        this.#stop();
        socket.close(...ENDS[reason]);
      },
      terminate: () => socket.terminate(),
    };
  }

  begin(): void {
    const unwatch = this.#watch.add(this.#watched);
    this.#socket.on('pong', () => {
      this.#missed = 0;
    });
    this.#socket.on('error', () => this.#watch.terminateSoon(this.#watched));
    this.#socket.on('close', () => {
      this.#stop();
      unwatch();
    });
    // Subscribed first, so that steps committed while the past is sent follow it.
    this.#unsubscribe = this.#ports.announcements.subscribe((rows) => this.#receive(rows));
    this.#tellBeginning().catch((error: unknown) => this.#failed(error));
  }

  #beat(): void {
    if (++this.#missed >= UNANSWERED_BEATS) return this.#socket.terminate();
    this.#socket.ping();
  }

  #stop(): void {
    this.#unsubscribe();
    this.#waiting.length = 0;
  }

  #end(code: number, reason: string): void {
    this.#stop();
    this.#socket.close(code, reason);
    this.#watch.terminateSoon(this.#watched);
  }

  #failed(error: unknown): void {
    this.#ports.reportDefect(error, 'feeds: the inspection of actors');
    this.#end(CLOSE.tryAgainLater, 'the steps could not be read; connect again');
  }

  #send(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(text);
    if (this.#socket.bufferedAmount > MOST_BUFFERED) this.#end(CLOSE.lagged, 'lagged: more is waiting than this visualiser takes in');
  }

  #receive(rows: readonly AnnouncementRow[]): void {
    this.#waiting.push(...rows.filter((row) => isAbout(row, this.#orgId, this.#wish.actorId)));
    if (this.#isTelling || this.#waiting.length === 0) return;
    this.#isTelling = true;
    this.#drain().catch((error: unknown) => this.#failed(error));
  }

  async #tellBeginning(): Promise<void> {
    const { actorId, from } = this.#wish;
    for (const actor of await this.#ports.inspection.actors(this.#orgId, actorId)) {
      if (from !== null) await this.#tell(actor, this.#lives.between({ ...actor, orgId: this.#orgId }, from, actor.version));
      if (!this.#told.has(actor.id)) this.#introduce(actor);
    }
    await this.#drain();
  }

  async #drain(): Promise<void> {
    for (let row = this.#waiting.shift(); row !== undefined; row = this.#waiting.shift()) {
      const { actorId: id, kind, version } = row.body as { actorId: string; kind: string; version: number };
      const before = this.#told.get(id) ?? null;
      if (before !== null && before.version >= version) continue;
      const subject = { id, orgId: this.#orgId, kind };
      await this.#tell({ ...subject, name: nameActor(kind, id) }, this.#lives.after(subject, before, version));
    }
    this.#isTelling = false;
  }

  /** Sends steps. The first one introduces an actor that is new here. */
  async #tell(actor: Pick<InspectedActor, 'id' | 'orgId' | 'kind' | 'name'>, steps: AsyncIterable<LivedStep>): Promise<void> {
    const { id, orgId, kind, name } = actor;
    for await (const step of steps) {
      const { version, at, state } = step.past;
      if (!this.#told.has(id)) this.#introduce({ id, orgId, kind, name, version, at, state });
      for (const text of stepMessages(id, step)) this.#send(text);
      this.#told.set(id, step.past);
      if (this.#socket.readyState !== this.#socket.OPEN) return;
    }
  }

  #introduce(actor: InspectedActor): void {
    const { machine } = this.#ports.inspection.directory.kind(actor.kind);
    this.#send(actorMessage(actor, machine));
    this.#told.set(actor.id, { version: actor.version, at: actor.at, machine: machine.id, state: actor.state });
  }
}

function isAbout({ channel, orgId, body }: AnnouncementRow, ours: string, actorId: string | null): boolean {
  return channel === 'inspect' && orgId === ours && (actorId === null || body['actorId'] === actorId);
}

/** Returns the display name of an actor without its own name. */
export function nameActor(kind: string, id: string): string {
  return `${kind} ${id.slice(-8)}`;
}
