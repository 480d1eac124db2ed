/** Answers that were given under an Idempotency-Key, as the API asks its store for them. */

/** The answer that a request with an Idempotency-Key was given before. `status` is null while it is still being made. */
export interface RememberedAnswer {
  readonly requestHash: string;
  readonly status: number | null;
  readonly body: string | null;
}

export interface RememberedAnswers {
  find(orgId: string, subject: string, route: string, key: string): Promise<RememberedAnswer | null>;
}
