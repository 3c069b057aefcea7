// What the page shows of settings, costs and the details of replies. Plain types, as in protocol.ts.
import type { AgentCost } from '../../agents/session/events.ts';
import type { ZeroDataRetention } from '../../contract/zeroDataRetention.ts';
import type { RoutingName } from '../model/presets.ts';

export interface RoutingNameView {
	/** `unreadable` means that a setting has the wrong form. */
	preset: RoutingName['preset'] | 'unreadable';
	/** Whether the routing policy protects data beyond what its name says. */
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

/** What the next message takes of its model without its text, in tokens. All but what an agent says are estimates. */
export interface UseView {
	/** The name of the model; empty where it is not known. */
	model: string;
	/** The user's instructions, the earlier messages, and what is attached. */
	instructions: number;
	history: number;
	attached: number;
	/** Set for a message to an agent. `used` is what it says that it has in its context; absent where it says nothing. */
	agent?: { used?: number };
	/** How many tokens may go with the message and its text; absent where that is not known. */
	limit?: number;
	/** How many tokens the model takes beyond the limit, for its reply. */
	reply?: number;
	/** What the conversation has taken so far. */
	total: TotalView;
}

/** The model and the routing policy of the next message. */
export interface SettingsView {
	/** The name of the model. */
	model?: string;
	routing: RoutingNameView;
	retention: 'on' | 'off' | 'account';
}

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
	routing?: RoutingNameView;
	routingFields?: FieldView[];
	parameters?: FieldView[];
	/** The paths of the files with instructions that went with the message. */
	instructions?: string[];
	/** The parameters that the model does not take. */
	leftOut?: readonly string[];
	/** Unix time in seconds. */
	created?: number;
	fingerprint?: string;
	nativeReason?: string;
	/** What an agent says that its session has cost, and what it has said that is not understood. */
	agentCost?: AgentCost;
	unknown?: FieldView[];
	retention?: ZeroDataRetention;
	/** The first tokens with their probabilities, where they were asked for. */
	tokens?: TokenView[];
}

/** A token with its probability, and the ones that were the most likely in its place. */
export interface TokenView {
	token: string;
	/** From 0 to 1. */
	probability: number;
	top: [token: string, probability: number][];
}
