// The data that a reply stores besides its text: its request, its provider and its cost.
import type { Connection } from '../../contract/connection.ts';
import { splitDigest } from '../../contract/images.ts';
import type { ZeroDataRetention } from '../../contract/zeroDataRetention.ts';
import { allReplies, type Conversation, type Reply } from './conversation.ts';
import { type Cost, type ReplyUsage, replyCost, totalCost } from './cost.ts';
import type { ReplySettings } from './settings.ts';

/** Adds to the reply the facts that are known once its request has been sent and, when it has ended, its cost. */
export function withFacts(
	reply: Reply,
	{ connection, asked, retention }: { connection: Connection; asked: ReplySettings; retention: ZeroDataRetention },
): Reply {
	// A continued reply already states the retention of its earlier part; for the whole, the weaker of the two holds.
	const known: Reply = {
		...reply,
		connection: connection.name,
		asked,
		retention: weaker(reply.retention ?? retention, retention),
	};
	if (reply.state === 'streaming' || !hasCome(reply)) {
		return known;
	}
	const { provider, usage } = reply;
	// An alternate with other prices may have served the reply.
	const model = asked.models === undefined ? asked.model : (servedModel(known).model ?? asked.model);
	const cost = replyCost(connection, { model, provider, usage });
	return cost === undefined ? known : { ...known, cost };
}

/**
 * Returns whether the last part produced anything. A request that failed before its reply began is not known to have
 * cost anything.
 */
function hasCome({ text, usage, continuations = [] }: Reply): boolean {
	return usage !== undefined || text.length > (continuations.at(-1)?.offset ?? 0);
}

const PROTECTION = { no: 0, 'as-account-is-set': 1, yes: 2 } as const;

function weaker(one: ZeroDataRetention, other: ZeroDataRetention): ZeroDataRetention {
	return PROTECTION[one.inForce] < PROTECTION[other.inForce] ? one : other;
}

/** Adds up the cost of all parts of a reply. */
export function costOf({ cost, usage, continuations = [] }: Reply): Cost | undefined {
	const parts = [...continuations, { cost, usage }];
	return totalCost(parts.filter(part => part.cost !== undefined || part.usage !== undefined).map(part => part.cost));
}

/** Returns the usage of every part of a reply. */
export function usagesOf({ usage, continuations = [] }: Reply): (ReplyUsage | undefined)[] {
	return [...continuations.map(part => part.usage), usage];
}

const DIGEST = /^(?:sha\d+:)?[\da-f]{8,}$/i;

/**
 * Returns the model that answered, and the digest that its name was resolved to. The tag of a model's name is not a
 * digest.
 */
export function servedModel({ model, asked }: Reply): { model?: string; digest?: string } {
	if (model === undefined) {
		return {};
	}
	const split = splitDigest(model, asked?.model ?? model);
	return split.digest === undefined || split.model === asked?.model || DIGEST.test(split.digest) ? split : { model };
}

/**
 * The total of all replies of a conversation. Versions and replies that are no longer shown are included, because they
 * were paid for. The title's reply counts for the cost but not for the number of replies.
 */
export interface Total {
	replies: number;
	prompt: number;
	completion: number;
	/** True if the number of tokens is unknown for some reply. */
	isPartial: boolean;
	cost?: Cost;
}

/** A reply that was refused before it was sent has none of these. */
const wasSent = ({ asked, text, usage }: Reply) => asked !== undefined || text !== '' || usage !== undefined;

export function totalOf(conversation: Conversation): Total {
	const total: Total = { replies: 0, prompt: 0, completion: 0, isPartial: false };
	const costs: (Cost | undefined)[] = [];
	for (const reply of allReplies(conversation).filter(wasSent)) {
		for (const usage of usagesOf(reply)) {
			total.prompt += usage?.prompt ?? 0;
			total.completion += usage?.completion ?? 0;
			total.isPartial ||= usage === undefined;
		}
		total.replies += reply === conversation.titleReply ? 0 : 1;
		costs.push(costOf(reply));
	}
	const cost = totalCost(costs);
	return cost === undefined ? total : { ...total, cost };
}
