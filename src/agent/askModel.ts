import { systemClock } from '../base/async.ts';
import { ClientError } from '../base/errors.ts';
import { explainFailure } from '../base/explainFailure.ts';
import { LIMITS } from '../client/core/limits.ts';
import { withRetries } from '../client/core/retry.ts';
import { callsIn, type Model, type ModelReply, type ModelRequest, textIn } from './model/model.ts';
import { TextOnce } from './textOnce.ts';

/**
 * Asks the model, and retries after every failure that may be temporary, including an empty reply. `onRetry` receives a
 * sentence about each retry. Text of a reply that broke off is not shown again. Rejects as `Model.reply` does.
 */
export async function askModel(
	model: Model,
	request: ModelRequest,
	onRetry: (sentence: string) => Promise<void>,
): Promise<ModelReply> {
	const { signal } = request;
	const { tries, retryAfterMs: maximumWaitMs } = LIMITS;
	const text = new TextOnce(request.onText);
	const thought = new TextOnce(request.onThought);
	const onText = (said: string) => text.add(said);
	const onThought = (said: string) => thought.add(said);
	return withRetries(
		{
			...{ rule: 'temporary', clock: systemClock, random: Math.random, tries, maximumWaitMs, signal },
			onRetry: (error, attempt) => {
				text.beginAgain();
				thought.beginAgain();
				return onRetry(`Try ${attempt + 1} of ${tries}: ${causeOf(error, model)}`);
			},
		},
		async attempt => {
			const reply = await model.reply({ ...request, onText, onThought });
			if (isEmpty(reply) && attempt < tries) {
				throw new EmptyReply();
			}
			return reply;
		},
	);
}

/** Returns whether a reply has neither text nor calls, although it was not cut off. */
export function isEmpty({ items, isCut }: ModelReply): boolean {
	return !isCut && callsIn(items).length === 0 && textIn(items).trim() === '';
}

class EmptyReply extends ClientError {
	constructor() {
		super('truncated', 'the reply is empty', { retryable: true });
	}
}

function causeOf(error: ClientError, { name }: Model): string {
	const subject = { name: `The model ${name}` };
	return error instanceof EmptyReply ? `${subject.name} answered with nothing.` : explainFailure(error, subject).cause;
}
