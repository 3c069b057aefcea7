import { systemClock } from '../base/async.ts';
import { ClientError } from '../base/errors.ts';
import { explainFailure } from '../base/explainFailure.ts';
import { LIMITS } from '../client/core/limits.ts';
import { withRetries } from '../client/core/retry.ts';
import { callsIn, type Model, type ModelReply, type ModelRequest, textIn } from './model/model.ts';

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

/**
 * Shows the text of a reply that may have to be requested more than once. From a further try, a beginning equal to the
 * text that is already shown is left out; where it differs, that line is shown from its beginning.
 */
export class TextOnce {
	private readonly show: (text: string) => Promise<void>;
	/** The shown text, as far as the reply that it came with has it. */
	private shown = '';
	private said = '';
	/** True if this try has said something that no earlier one had at its place. */
	private isNew = true;

	constructor(show: (text: string) => Promise<void>) {
		this.show = show;
	}

	beginAgain(): void {
		if (this.isNew) {
			this.shown = this.said;
		}
		this.said = '';
		this.isNew = this.shown === '';
	}

	async add(text: string): Promise<void> {
		const start = this.said.length;
		this.said += text;
		if (this.isNew) {
			return this.show(text);
		}
		const known = this.shown.slice(start, start + text.length);
		if (known === text) {
			return;
		}
		this.isNew = true;
		if (text.startsWith(known)) {
			return this.show(text.slice(known.length));
		}
		const same = known.split('').findIndex((character, index) => text[index] !== character);
		const line = this.said.lastIndexOf('\n', start + same - 1) + 1;
		return this.show(`\n\n${this.said.slice(line)}`);
	}
}
