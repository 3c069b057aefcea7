import { defined } from '../../base/defined.ts';
import { isFields } from '../../base/fields.ts';
import { parseJson } from '../../base/json.ts';
import { ToolCallCollector } from '../../client/toolCalls.ts';
import type { ChatStreamEvent } from '../../client/types.ts';
import type { Usage } from '../../contract/chatReply.ts';

/** A problem with a reply. */
export type ReplyProblem =
	/**
	 * The arguments of a call are not a JSON object, so running the tool would do something that nobody has asked for.
	 */
	| { kind: 'arguments'; tool: string }
	/** The reply was cut at its maximum length before the arguments of its last call were complete. */
	| { kind: 'cut'; tool: string }
	| { kind: 'too-many-calls' }
	| { kind: 'too-long' }
	/** The service's filter has stopped the reply. */
	| { kind: 'filtered' };

export class ReplyRefusal extends Error {
	override readonly name = 'ReplyRefusal';
	readonly problem: ReplyProblem;

	constructor(problem: ReplyProblem) {
		super(`The reply cannot be used: ${problem.kind}`);
		this.problem = problem;
	}
}

/** No model makes this many calls at once, or calls with arguments of this total length, in UTF-16 code units. */
const MAXIMUM_CALLS = 1_000;
const MAXIMUM_ARGUMENTS = 8_000_000;

/**
 * No reply is this long, in UTF-16 code units. The editor queues the text, so an endless reply would fill its memory.
 */
const MAXIMUM_TEXT = 8_000_000;

export interface FinishedCall {
	id: string;
	name: string;
	input: object;
}

/** Reads one reply: its text as it arrives, and its calls, which arrive in fragments, once it has ended. */
export class ReplyReader {
	private readonly collector = new ToolCallCollector();
	private argumentsLength = 0;
	private textLength = 0;
	private isFiltered = false;
	private isCut = false;
	/** True once a part of the reply has arrived, so that it may have cost something. */
	hasBegun = false;
	/** The provider, the model and the usage, as far as the service has reported them. */
	readonly told: { provider?: string; model?: string; usage?: Usage } = {};

	/** Returns the text that the event adds, which is empty for most events. Throws a ReplyRefusal. */
	add(event: ChatStreamEvent): string {
		this.hasBegun ||= event.type === 'text' || event.type === 'reasoning' || event.type === 'toolCall';
		switch (event.type) {
			case 'text':
				this.textLength += event.text.length;
				if (this.textLength > MAXIMUM_TEXT) {
					throw new ReplyRefusal({ kind: 'too-long' });
				}
				return event.text;
			case 'toolCall':
				this.collector.add(event);
				this.argumentsLength += event.arguments.length;
				if (this.collector.count > MAXIMUM_CALLS || this.argumentsLength > MAXIMUM_ARGUMENTS) {
					throw new ReplyRefusal({ kind: 'too-many-calls' });
				}
				break;
			case 'served':
				Object.assign(this.told, defined({ provider: event.provider, model: event.model }));
				break;
			case 'usage':
				this.told.usage = event.usage;
				break;
			case 'finish':
				this.isFiltered = event.reason === 'content_filter';
				this.isCut = event.reason === 'length';
				break;
		}
		return '';
	}

	/** Returns the calls of a reply that has ended. Throws a ReplyRefusal. */
	end(): FinishedCall[] {
		if (this.isFiltered) {
			throw new ReplyRefusal({ kind: 'filtered' });
		}
		return this.collector.collected().map(({ id, function: { name, arguments: text } }, index, calls) => {
			const input = parseJson(text);
			const isWhole = isFields(input);
			// Arguments that have not begun count as none, which may not be the intent of a call that was cut.
			if (this.isCut && index === calls.length - 1 && (!isWhole || Object.keys(input).length === 0)) {
				throw new ReplyRefusal({ kind: 'cut', tool: name });
			}
			if (!isWhole) {
				throw new ReplyRefusal({ kind: 'arguments', tool: name });
			}
			return { id, name, input };
		});
	}
}
