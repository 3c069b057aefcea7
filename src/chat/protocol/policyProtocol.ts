// What the page shows of policies, and its texts for them. Plain types, as in protocol.ts.

export interface PolicyNameView {
	/** `unreadable` means that a setting has the wrong form. */
	preset: 'balanced' | 'cheapest' | 'fastest' | 'latency' | 'only' | 'private' | 'custom' | 'unreadable';
	/** Whether the policy protects data beyond what its name says. */
	isPrivate: boolean;
	/** Whether the policy excludes providers beyond what its name says. */
	isLimited: boolean;
}

/** In US dollars. */
export interface CostView {
	usd: number;
	atLeast?: true;
}

/** The totals of all replies of a conversation, including those that are not shown. */
export interface TotalView {
	replies: number;
	prompt: number;
	completion: number;
	/** Whether the tokens of some reply are not known. */
	isPartial: boolean;
	cost?: CostView;
}

/** The model and the policy of the next message. */
export interface PolicyView {
	/** The name of the model. */
	model?: string;
	policy: PolicyNameView;
	retention: 'on' | 'off' | 'account';
	total: TotalView;
}

export type RetentionKey =
	| 'yes/request'
	| 'yes/alias'
	| 'yes/account'
	| 'yes/code-oriented-model'
	| 'no/account'
	| 'as-account-is-set/account';

/** A field of a request: its name there and its value. */
export type FieldView = [name: string, value: string];

/** What a reply was requested with, and what served it. */
export interface DetailsView {
	/** The requested model and its alternates. */
	asked?: string[];
	digest?: string;
	serviceId?: string;
	/** The time until the first text, in milliseconds. */
	firstWord?: number;
	policy?: PolicyNameView;
	preferences?: FieldView[];
	parameters?: FieldView[];
	retention?: RetentionKey;
}

/** The page fills in the placeholders `{0}` and following. */
export interface PolicyStrings {
	asked: string;
	atLeast: string;
	conversation: string;
	cost: string;
	costUnknown: string;
	details: string;
	firstWord: string;
	limited: string;
	model: string;
	parameters: string;
	policy: string;
	presets: Record<PolicyNameView['preset'], string>;
	privately: string;
	provider: string;
	providerUnknown: string;
	reasoningOut: string;
	retention: string;
	retentionOn: string;
	retentions: Record<RetentionKey, string>;
	selectModel: string;
	selectPolicy: string;
	serviceId: string;
	time: string;
	tokens: string;
	total: string;
	totalPartial: string;
	whole: string;
}
