/** Setting of a member: a short text by name, with a version. Nothing acts on it. */
export interface Setting {
  readonly name: string;
  /** Counts the changes; 0 if the setting does not exist. */
  readonly version: number;
  /** Null if the setting does not exist. */
  readonly value: string | null;
}

/** Maximum settings of a member. */
export const MOST_SETTINGS = 64;
/** Maximum characters of a setting. */
export const LONGEST_SETTING = 16_384;
