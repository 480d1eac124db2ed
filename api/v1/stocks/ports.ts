/** Language-model port of stock assessments, if one is configured. */
import type { Assessment } from '../../../src/domain/assessment/assess-stock.ts';

export interface AssessmentPhrasing {
  /**
   * Asks the model to phrase and order the claims. The answer is untrusted: `checkPhrasing` assesses it.
   * `why` says in one phrase what went wrong (no answer in time, an error, no JSON).
   */
  phrase(assessment: Assessment): Promise<{ readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly why: string }>;
}
