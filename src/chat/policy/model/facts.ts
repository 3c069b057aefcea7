// What a reply keeps beside its text: what it was asked with, what was served, what it cost.
import type { Connection } from '../../../contract/connection.ts';
import { splitDigest } from '../../../contract/images.ts';
import type { ZeroDataRetention } from '../../../contract/zeroDataRetention.ts';
import type { Conversation, Reply, ReplyUsage } from '../../model/conversation.ts';
import { type Cost, replyCost, totalCost } from './cost.ts';
import type { AskedWith } from './policy.ts';

/** The reply with what is known once its request is on its way; when it has ended, with its cost. */
export function withFacts(
	reply: Reply,
	{ connection, asked, retention }: { connection: Connection; asked: AskedWith; retention: ZeroDataRetention },
): Reply {
	const known: Reply = { ...reply, asked, retention };
	if (reply.state === 'streaming') {
		return known;
	}
	const { provider, usage } = reply;
	const cost = replyCost(connection, { model: asked.model, provider, usage });
	return cost === undefined ? known : { ...known, cost };
}

/** Of all parts. */
export function costOf({ cost, usage, continuations = [] }: Reply): Cost | undefined {
	const parts = [...continuations, { cost, usage }];
	return totalCost(parts.filter(part => part.cost !== undefined || part.usage !== undefined).map(part => part.cost));
}

const DIGEST = /^(?:sha\d+:)?[\da-f]{8,}$/i;

/** The model that answered, and the digest that its name was resolved to. A tag of a model's name is none. */
export function servedModel({ model, asked }: Reply): { model?: string; digest?: string } {
	if (model === undefined) {
		return {};
	}
	const split = splitDigest(model, asked?.model ?? model);
	return split.digest === undefined || split.model === asked?.model || DIGEST.test(split.digest) ? split : { model };
}

/** What all replies of a conversation came to, versions and replies that are not shown any more included: they were paid for. */
export interface Total {
	replies: number;
	prompt: number;
	completion: number;
	/** Some reply told no number of tokens. */
	isPartial: boolean;
	cost?: Cost;
}

export function totalOf({ turns }: Conversation): Total {
	const total: Total = { replies: 0, prompt: 0, completion: 0, isPartial: false };
	const costs: (Cost | undefined)[] = [];
	for (const reply of turns.flatMap(turn => turn.replies)) {
		const parts: (ReplyUsage | undefined)[] = [...(reply.continuations ?? []).map(part => part.usage), reply.usage];
		for (const usage of parts) {
			total.prompt += usage?.prompt ?? 0;
			total.completion += usage?.completion ?? 0;
			total.isPartial ||= usage === undefined;
		}
		total.replies++;
		costs.push(costOf(reply));
	}
	const cost = totalCost(costs);
	return cost === undefined ? total : { ...total, cost };
}
