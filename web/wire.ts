/** What the API says, as far as the console reads it (api/openapi.json is the whole). For the type checker only. */

export interface Me {
  readonly subject: string;
  readonly name: string | null;
  readonly orgId: string | null;
  readonly permissions: readonly string[];
  readonly viewerOnly: boolean;
  readonly expiresAt: string;
}

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly stage: string;
  readonly paused: boolean;
  readonly pauseCause: string | null;
  readonly autonomy: string;
  readonly manifestHash: string;
  readonly manifestVersion: number;
  readonly createdBy: string;
  readonly createdAt: string;
}

/** An announcement of the `agents` channel; its snapshot holds agents instead. */
export interface AgentChange {
  readonly agentId: string;
  readonly what: string;
  readonly stage: string;
  readonly duty: string;
  readonly feed: string;
  readonly autonomy: string;
  readonly pauseCause: string | null;
  readonly manifestHash: string;
}

export type StateValue = string | { readonly [region: string]: StateValue };

export interface Step {
  readonly version: number;
  readonly at: string;
  readonly machine: string;
  readonly event: { readonly type: string; readonly [field: string]: unknown };
  readonly from: StateValue | null;
  readonly to: StateValue;
  readonly cause: string | null;
}

/** A step as the `inspect` channel tells of it. */
export interface InspectedStep extends Omit<Step, 'at' | 'cause'> {
  readonly actorId: string;
  readonly kind: string;
}

export interface Chart {
  readonly machine: string;
  readonly version: number;
  readonly status: 'running' | 'done' | 'quarantined';
  readonly value: StateValue;
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Box extends Rectangle {
  readonly id: string;
  readonly parent: string | null;
  readonly kind: 'machine' | 'region' | 'compound' | 'state' | 'final' | 'initial' | 'any';
  readonly title: string;
  readonly stays: readonly string[];
}

export interface Edge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly event: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly label: (Rectangle & { readonly lines: readonly string[] }) | null;
}

export interface Layout {
  readonly machine: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly edges: readonly Edge[];
}

export interface Rule {
  readonly instrument: string;
  readonly side: 'entry' | 'exit';
  readonly type: string;
  readonly passed: boolean;
  readonly observed: string | number | null;
  readonly threshold: string | number | null;
}

export interface Observation {
  readonly instrument: string;
  readonly session: string;
  readonly quote: {
    readonly bid: string | null;
    readonly ask: string | null;
    readonly ageMs: number;
    readonly quality: string;
    readonly flags: readonly string[];
  } | null;
  readonly reference: {
    readonly referencePrice: string;
    readonly ageMs: number;
    readonly quality: string;
    readonly flags: readonly string[];
  } | null;
  readonly premiumPct: number | null;
  readonly gapToMarkPct: number | null;
  readonly basisPct: number | null;
}

export interface Rejection {
  readonly code: string;
  readonly limit: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly suggestion: string | null;
}

export interface Decision {
  readonly id: string;
  readonly agentId: string;
  readonly slot: string;
  readonly at: string;
  readonly manifestHash: string;
  readonly observed: { readonly [instrument: string]: Observation };
  readonly rules: readonly Rule[];
  readonly disposition: string;
  readonly reason: string | null;
  readonly instrument: string | null;
  readonly risk: { readonly verdict: string; readonly rejections: readonly Rejection[] } | null;
  readonly previousHash: string;
  readonly hash: string;
}

export interface QuoteRow {
  readonly kind: 'quote' | 'reference';
  readonly venue: string;
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: string;
  readonly receivedAt: string;
  readonly quality: string;
  readonly flags: readonly string[];
  readonly bid?: string | null;
  readonly ask?: string | null;
  readonly mid?: string | null;
  readonly referencePrice?: string;
  readonly confidence?: string;
  readonly feedUpdatedAt?: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** What a channel sends. */
export interface Frame {
  readonly channel: string;
  readonly type: 'snapshot' | 'update' | 'lagged';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  // Every channel has its own; the view that subscribes knows which.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

/** Everything that the socket sends. */
export type Message =
  | Frame
  | { readonly type: 'subscribed'; readonly id?: number; readonly at: string; readonly cursor: string | null }
  | { readonly type: 'error'; readonly id?: number; readonly at: string; readonly code: string; readonly detail: string }
  | { readonly type: 'heartbeat' | 'pong' | 'unsubscribed'; readonly at: string };
