// The page's views of settings, costs and the details of replies. Plain types, as in protocol.ts.
import type { AgentCost } from '../../agents/session/events.ts';
import type { ZeroDataRetention } from '../../contract/zeroDataRetention.ts';
import type { RoutingName } from '../model/presets.ts';

export interface RoutingNameView extends Omit<RoutingName, 'preset'> {
	/** `unreadable` means that a setting has the wrong form. */
	preset: RoutingName['preset'] | 'unreadable';
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
	/** True if the tokens of some reply are not known. */
	isPartial: boolean;
	cost?: CostView;
}

/**
 * The use of the model's context by the next message without its text, in tokens. All numbers are estimates, except the
 * agent's own.
 */
export interface UseView {
	/** The name of the model; empty if it is not known. */
	model: string;
	/** The user's instructions, the earlier messages, and the attachments. */
	instructions: number;
	history: number;
	attached: number;
	/** Set for a message to an agent. `used` is the agent's report on its context; absent if there is none. */
	agent?: { used?: number };
	/** The maximum number of tokens to send, including the text; absent if that is not known. */
	limit?: number;
	/** The number of tokens beyond the limit that the model reserves for its reply. */
	reply?: number;
	/** The conversation's total so far. */
	total: TotalView;
}

/** The model and the routing policy of the next message. */
export interface SettingsView {
	/** The name of the model. */
	model?: string;
	routing: RoutingNameView;
	retention: 'on' | 'off' | 'account';
}

/** A field of a request: its name in the request and its value. */
export type FieldView = [name: string, value: string];

/** The request of a reply, and what served it. */
export interface DetailsView {
	/** The requested model and its alternates. */
	asked?: string[];
	digest?: string;
	serviceId?: string;
	/** The time until the first text, in milliseconds. */
	firstWord?: number;
	routing?: RoutingNameView;
	routingFields?: FieldView[];
	parameters?: FieldView[];
	/** The paths of the instruction files that were sent with the message. */
	instructions?: string[];
	/** The parameters that the model does not support. */
	leftOut?: readonly string[];
	/** Unix time in seconds. */
	created?: number;
	fingerprint?: string;
	nativeReason?: string;
	/** The cost of the session as the agent reports it, and its updates that were not understood. */
	agentCost?: AgentCost;
	unknown?: FieldView[];
	retention?: ZeroDataRetention;
	/** The first tokens with their probabilities, if they were requested. */
	tokens?: TokenView[];
}

/** A token with its probability, and the most likely tokens in its place. */
export interface TokenView {
	token: string;
	/** From 0 to 1. */
	probability: number;
	top: [token: string, probability: number][];
}
