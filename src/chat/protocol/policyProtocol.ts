// What the page shows of policies, and its words for it. Plain types, as in protocol.ts.

export interface PolicyNameView {
	/** `unreadable`: a setting has another form than it must have. */
	preset: 'balanced' | 'cheapest' | 'fastest' | 'latency' | 'only' | 'private' | 'custom' | 'unreadable';
	/** Beside what the name says, data is protected. */
	isPrivate: boolean;
	/** Beside what the name says, providers are left out. */
	isLimited: boolean;
}

/** US dollars. */
export interface CostView {
	usd: number;
	atLeast?: true;
}

/** Of all replies of a conversation, shown or not. */
export interface TotalView {
	replies: number;
	prompt: number;
	completion: number;
	/** Some reply told no tokens. */
	isPartial: boolean;
	cost?: CostView;
}

/** What the next message of the conversation is sent with. */
export interface PolicyView {
	/** How the model is called. */
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

/** A field of a request, by its name there, with its value. */
export type FieldView = [name: string, value: string];

/** What a reply was asked with, and what was served. */
export interface DetailsView {
	/** The model that was asked, and its alternates. */
	asked?: string[];
	digest?: string;
	serviceId?: string;
	/** Milliseconds to the first word. */
	firstWord?: number;
	policy?: PolicyNameView;
	preferences?: FieldView[];
	parameters?: FieldView[];
	retention?: RetentionKey;
}

/** `{0}` and on are filled in by the page. */
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
