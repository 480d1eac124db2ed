/** Wallet that receives the partner's fees of a launch in the sandbox. `sandboxKey('launch partner')` signs for it. */
export const SANDBOX_LAUNCH_PARTNER = '8PkHChnn4NQugLyY6eVH96kCrR76KhhEp5UKxBrnFHSH';
