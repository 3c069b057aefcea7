// The levels of what an agent may do without a question, and the answers to its questions. Settings and conversation
// files store these words.

/** The things that the user is asked about in a turn, beyond those always asked about. */
export const APPROVAL_LEVELS = ['ask', 'ask-for-commands', 'allow-in-sandbox'] as const;
export type ApprovalLevel = (typeof APPROVAL_LEVELS)[number];

/** The values of `errand.agents.approvals`. With `plan`, an agent changes nothing and ends with a plan. */
export const APPROVAL_SETTINGS = [...APPROVAL_LEVELS, 'plan'] as const;
export type ApprovalSetting = (typeof APPROVAL_SETTINGS)[number];

/** The answers to a question about a step: yes, yes to the same in this conversation, and no. */
export const APPROVAL_ANSWERS = ['once', 'conversation', 'no'] as const;
export type ApprovalAnswer = (typeof APPROVAL_ANSWERS)[number];
