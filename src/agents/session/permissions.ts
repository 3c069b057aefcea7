import { SerialQueue, untilAborted } from '../../base/async.ts';
import { isFields } from '../../base/fields.ts';
import { oneLine } from '../../base/plainText.ts';
import {
	type AgentEvent,
	type AgentForm,
	type FormAnswer,
	PERMISSION_KINDS,
	type PermissionAnswer,
	type PermissionOption,
	type PermissionRequest,
} from './events.ts';
import { MAXIMUM_ENTRIES, MAXIMUM_ID } from './limits.ts';
import { oneOf, readList } from './read.ts';
import { readToolCall } from './toolCallFields.ts';
import type { ToolCalls } from './toolCalls.ts';

/** The length to which the names of options are cut. */
const MAXIMUM_NAME = 100;

/**
 * Answers an agent that asks for a permission. `signal` aborts when the answer is no longer needed. An error that it
 * throws ends the session.
 */
export type PermissionPolicy = (
	request: PermissionRequest,
	signal: AbortSignal,
) => Promise<PermissionAnswer> | PermissionAnswer;

/** Lets the user fill in a form. `signal` and errors work as in a `PermissionPolicy`. */
export type FormPolicy = (form: AgentForm, signal: AbortSignal) => Promise<FormAnswer>;

/** Returns undefined for a request that cannot be read at all. */
export function readPermissionRequest(
	{ toolCall, options: offered }: Record<string, unknown>,
	calls: ToolCalls,
): PermissionRequest | undefined {
	const told = readToolCall(toolCall);
	const options = readList(offered, MAXIMUM_ENTRIES, readOption);
	return told && options && { call: calls.merged(told), options: options.entries, complete: told.complete };
}

function readOption(value: unknown): PermissionOption | undefined {
	const { optionId: id, name, kind: named } = isFields(value) ? value : {};
	const kind = oneOf(PERMISSION_KINDS, named);
	const isUsable = typeof id === 'string' && id.length <= MAXIMUM_ID && typeof name === 'string';
	return isUsable && kind !== undefined ? { id, name: oneLine(name, MAXIMUM_NAME), kind } : undefined;
}

/** Has the permissions and the forms of a session decided one at a time. */
export class Permissions {
	private readonly decide: PermissionPolicy;
	/** Absent if nobody is there to be asked. */
	private readonly fillIn: FormPolicy | undefined;
	private readonly onEvent: (event: AgentEvent) => void;
	private readonly queue = new SerialQueue();

	constructor(decide: PermissionPolicy, fillIn: FormPolicy | undefined, onEvent: (event: AgentEvent) => void) {
		this.decide = decide;
		this.fillIn = fillIn;
		this.onEvent = onEvent;
	}

	/**
	 * Resolves with the answer; once `signal` has aborted, with that of a cancelled request. Rejects with an error of the
	 * policy or of the listener.
	 */
	answer(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		return this.queue.run(async () => {
			const answer = await this.decided(request, signal);
			this.onEvent({ type: 'permission', request, answer });
			return answer;
		});
	}

	/** Resolves with the answer to a form, and rejects as `answer` does. */
	answerForm(form: AgentForm, signal: AbortSignal): Promise<FormAnswer> {
		return this.queue.run(async () => {
			const { fillIn } = this;
			if (fillIn === undefined || form.refusal !== undefined) {
				this.onEvent({ type: 'form-refused', form, refusal: form.refusal ?? 'nobody' });
				return { action: 'decline' };
			}
			return unlessAborted<FormAnswer>(signal, { action: 'cancel' }, () => fillIn(form, signal));
		});
	}

	private decided(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		const cancelled = { option: undefined, reason: 'It was cancelled before it was decided.' };
		return unlessAborted<PermissionAnswer>(signal, cancelled, async () => {
			const answer = await this.decide(request, signal);
			const isOffered = answer.option === undefined || request.options.some(({ id }) => id === answer.option);
			return isOffered ? answer : { option: undefined, reason: 'The answer is none of those that were offered.' };
		});
	}
}

/** Resolves with `otherwise` once the signal has aborted. Nobody is asked then. */
async function unlessAborted<Answer>(
	signal: AbortSignal,
	otherwise: Answer,
	ask: () => Promise<Answer>,
): Promise<Answer> {
	try {
		signal.throwIfAborted();
		return await untilAborted(ask(), signal);
	} catch (error) {
		if (signal.aborted) {
			return otherwise;
		}
		throw error;
	}
}
