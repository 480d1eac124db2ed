/** Ports of the process that the API runs in: request ids, readiness, measurements, error reports. */

/** Readiness of the service, part by part. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

export interface RequestObservation {
  readonly method: string;
  /** The route's pattern, or `unknown`. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

export interface Metrics {
  readonly contentType: string;
  /** The Prometheus text. */
  render(): Promise<string>;
  observe(observation: RequestObservation): void;
}

export interface OperationPorts {
  /** A fresh id per request (UUIDv7). */
  newRequestId(): string;
  readiness(): Promise<Readiness>;
  readonly metrics: Metrics;
  /** True for an error that says that the database (or another server of ours) is away: it becomes a 503. */
  isUnavailable(error: unknown): boolean;
  /** Receives every error that became a 500: a defect. */
  reportDefect(error: unknown, where: { readonly requestId: string; readonly route: string }): void;
}
