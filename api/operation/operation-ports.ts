/** Ports of the process that the API runs in: request ids, readiness, measurements, error reports. */
import type { ServiceMetrics } from '../../src/adapters/log/metrics.ts';

/** Readiness of the service, part by part. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

export interface OperationPorts {
  /** Returns a new id per request (UUIDv7). */
  newRequestId(): string;
  readiness(): Promise<Readiness>;
  readonly metrics: Pick<ServiceMetrics, 'contentType' | 'render' | 'observe'>;
  /** True for an error that means that the database or another of our servers is down. It becomes a 503. */
  isUnavailable(error: unknown): boolean;
  /** Receives every error that became a 500, a defect. */
  reportDefect(error: unknown, where: { readonly requestId: string; readonly route: string }): void;
}
