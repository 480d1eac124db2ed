/** Script of the external launcher's simulator: how it handles the next launches. */

const LAUNCHER_TROUBLES = [
  /** Reports for a while that the launch is in progress. */
  'late',
  /** Accepts the payment and declines the launch. */
  'declines',
  /** Reports that the payment belongs to another request. */
  'conflict',
  /** Reports for a while that its treasury is low, then launches. */
  'treasury_low',
  /** Makes offers that expire after a few seconds. */
  'brief',
  /** Asks an excessive price. */
  'greedy',
  /** Returns a token that the chain does not have. */
  'names_nothing',
] as const;
type LauncherTrouble = (typeof LAUNCHER_TROUBLES)[number];

export type LauncherScript = ReturnType<typeof createLauncherScript>;

export function createLauncherScript() {
  let how: LauncherTrouble | null = null;
  return {
    /**
     * Sets the behavior; null restores the normal one.
     * @throws RangeError for an unknown word
     */
    trouble(word: string | null) {
      if (word !== null && !(LAUNCHER_TROUBLES as readonly string[]).includes(word))
        throw new RangeError(`how must be null or one of ${LAUNCHER_TROUBLES.join(', ')}, not ${JSON.stringify(word)}`);
      how = word as LauncherTrouble | null;
    },
    current: (): LauncherTrouble | null => how,
  };
}

/** Creates the launcher's operator verbs. A verb throws RangeError if its input is invalid. */
export function launcherVerbs(script: LauncherScript): Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => unknown>> {
  return {
    launcher_trouble: ({ how }) => {
      if (how !== null && typeof how !== 'string') throw new RangeError(`how must be a text or null, not ${JSON.stringify(how)}`);
      script.trouble(how);
      return {};
    },
  };
}
