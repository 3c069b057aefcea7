import { ClientError } from '../base/errors.ts';
import {
	type Answers,
	type DecisionRequest,
	decisionModelId,
	decisionReplySchema,
	decisionRequestSchema,
	type Question,
	type Questions,
	readAnswer,
} from '../contract/decisions.ts';
import { routes } from '../contract/routes.ts';
import type { Caller } from './core/caller.ts';
import { readReply, throwErrorIn } from './core/replyData.ts';
import { checkRequest } from './core/requestCheck.ts';
import type { Client } from './types.ts';

/** Decisions (contract: inference.md). */
export function createDecisions(caller: Caller): Client['decisions'] {
	return {
		async evaluate({ model = defaultModel(caller), ...request }, { signal } = {}) {
			const call = {
				route: routes.decisions,
				body: checkRequest<DecisionRequest>(decisionRequestSchema, { ...request, model }),
				retry: 'turned-away' as const,
				signal,
			};
			const read = await caller.json(call, reply => {
				throwErrorIn(reply);
				return readReply(decisionReplySchema, reply, 'the reply has no answers');
			});
			return { model: read.model, answers: readAnswers(request.questions, read.answers), usage: read.usage };
		},
	};
}

function defaultModel({ connection: { name, decisionModel } }: Caller): string {
	if (decisionModel === undefined) {
		throw new ClientError('not-supported', `the connection "${name}" has no decisionModel`, { unsent: true });
	}
	return decisionModelId(decisionModel);
}

/** Answers to questions that were not asked are dropped. */
function readAnswers<Asked extends Questions>(questions: Asked, received: Record<string, unknown>): Answers<Asked> {
	const answers = Object.entries<Question>(questions).map(([id, { type }]) => {
		// An id may be any word, including the name of a property that every object inherits.
		const answer = Object.hasOwn(received, id) ? received[id] : undefined;
		return [id, readAnswer(type, answer)] as const;
	});
	return Object.fromEntries(answers) as Answers<Asked>;
}
