// What the page shows of policies. Plain types, as in protocol.ts.
import type { ZeroDataRetention } from '../../contract/zeroDataRetention.ts';
import type { PolicyName } from '../model/presets.ts';

export interface PolicyNameView {
	/** `unreadable`: a setting has another form than it must have. */
	preset: PolicyName['preset'] | 'unreadable';
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
	retention?: ZeroDataRetention;
}
