import { randomUUID } from 'node:crypto';
import { append } from '../base/append.ts';
import { ClientError } from '../base/errors.ts';
import { isFields } from '../base/fields.ts';
import { parseJson } from '../base/json.ts';
import type { InputItem } from '../contract/responses.ts';
import { CHARACTERS_PER_TOKEN, imageIn, laterHalf, noteItem, shorten, tokensOf } from './conversation.ts';
import { TurnFailure } from './failures.ts';
import { callsIn, type Model, type ModelReply, textIn } from './model/model.ts';
import { editedPaths } from './tools/edit.ts';
import { cutMiddle, parametersOf, type Tool } from './tools/tool.ts';

/** The maximum tokens of a conversation with a model whose context length is not known. */
const MAXIMUM_CONVERSATION = 2_000_000;

/** The maximum number of images in one request. */
const MAXIMUM_IMAGES = 6;

/** The shares of the context length that a request may take, and one for a summary. The rest is for the reply. */
const REQUEST_SHARE = 0.8;
const SUMMARY_SHARE = 0.9;

/**
 * The shares of a request's length to which it is shortened, that the newest results keep unshortened, and above which
 * shortening is not enough. Shortened parts are no longer in the service's cache, so shortening is rare and then covers
 * many steps.
 */
const SHORTENED_SHARE = 0.5;
const NEWEST_SHARE = 0.25;
const ENOUGH_SHARE = 0.8;

/** The share of a refused length that the service is assumed to accept. */
const ACCEPTED_SHARE = 0.8;

/** The share of a known length below which a refusal as too long must have another reason. */
const BELIEVED_SHARE = 0.5;

/** The maximum characters of a summary, of what is repeated after it, and the number of files in that. */
const MAXIMUM_SUMMARY = 24_000;
const MAXIMUM_TOLD = 24_000;
const TOLD_FILES = 5;

/** The number of times that the model is asked for a summary if its answer has none. */
const SUMMARY_TRIES = 2;

const ASK =
	'The conversation is about to be replaced by a summary that you write now. Write down all that you need to go on without it: what the user asked for, what was decided and why, which files were changed and how, what was found out, what failed, and what is left to do. Answer with the summary alone and call no tool. The plan and the files that were edited last are shown to you again after it.';

/** The beginning of the id of a call that was repeated after a summary. */
const AGAIN = 'again-';

/** The model, and the instructions that every request to it carries. */
export interface TurnModel {
	model: Model;
	/** The maximum tokens of one request to the model, or undefined if not known. */
	contextLength: number | undefined;
	takesImages: boolean;
	instructions: string;
}

export interface ContextOptions {
	turnModel: TurnModel;
	tools: readonly Tool[];
	/** Asks the model without showing its reply. */
	ask(items: readonly InputItem[]): Promise<ModelReply>;
	/** Returns the current result of a tool that only reads, or undefined if it fails. `told` is what comes before it. */
	readAgain(name: string, input: unknown, told: readonly InputItem[]): Promise<string | undefined>;
	/** Shows a step. Its text is shown once `work` has resolved with it. */
	showStep(title: string, work: () => Promise<string>): Promise<void>;
}

/**
 * The conversation of a turn, kept within the model's context length. Items are only added, so that each request begins
 * like the one before and the service can read it from its cache, except when older results are shortened or a summary
 * replaces the conversation.
 */
export class Context {
	items: InputItem[];
	private readonly options: ContextOptions;
	/** The tokens that every request carries besides the conversation. */
	private readonly fixed: number;
	/** The assumed context length in tokens. A service that refuses a request as too long lowers it. */
	private length: number;
	/** The message of this turn with its images. They are never changed. */
	private prompt: readonly InputItem[] = [];

	constructor(items: readonly InputItem[], options: ContextOptions) {
		const described = options.tools.map(tool => [tool.name, tool.description, parametersOf(tool)]);
		const { instructions, contextLength = MAXIMUM_CONVERSATION } = options.turnModel;
		this.items = [...items];
		this.options = options;
		this.fixed = Math.ceil((instructions.length + JSON.stringify(described).length) / CHARACTERS_PER_TOKEN);
		this.length = contextLength;
	}

	begin(prompt: readonly InputItem[]): void {
		this.prompt = prompt;
		append(this.items, prompt);
	}

	/** Makes the conversation fit into a request. Throws a TurnFailure if that cannot be done. */
	async fit(): Promise<void> {
		const maximum = this.maximum();
		if (tokensOf(this.items) <= maximum) {
			return;
		}
		const { items, shortened } = shorten(this.items, {
			maximum: Math.floor(maximum * SHORTENED_SHARE),
			newest: Math.max(Math.floor(maximum * NEWEST_SHARE), tokensOf(this.unseen())),
		});
		if (tokensOf(items) > maximum * ENOUGH_SHARE) {
			await this.summarise();
			return;
		}
		this.items = items;
		const words = shortened === 1 ? 'One earlier result was' : `${shortened} earlier results were`;
		await this.options.showStep(`${words} shortened, to stay within the model's length`, async () => '');
	}

	/** Returns a sentence if the model cannot be shown a further image. */
	imageProblem(): string | undefined {
		const { model, takesImages } = this.options.turnModel;
		if (!takesImages) {
			return `The model ${model.name} is not known to take images, so it cannot be shown. Find out what you need of it with run.`;
		}
		return this.items.filter(imageIn).length < MAXIMUM_IMAGES
			? undefined
			: `The conversation has ${MAXIMUM_IMAGES} images already, which is as many as it can have.`;
	}

	/** Returns whether the conversation may be too long for the model, as far as its length is known. */
	mayBeTooLong(): boolean {
		const { contextLength = 0 } = this.options.turnModel;
		return this.fixed + tokensOf(this.items) > contextLength * BELIEVED_SHARE;
	}

	/** Records that the service has refused a request with these items as too long. */
	refused(items: readonly InputItem[] = this.items): void {
		this.length = Math.floor(Math.min(this.length, this.fixed + tokensOf(items)) * ACCEPTED_SHARE);
	}

	/** Replaces the conversation by the model's summary. Throws a TurnFailure if that fails. */
	async summarise(): Promise<void> {
		const { prompt } = this;
		if (tokensOf(prompt) > this.maximum()) {
			throw this.tooLong();
		}
		let summary = '';
		await this.options.showStep('Summary of the conversation so far', async () => {
			summary = await this.askForSummary();
			return summary;
		});
		const maximum = this.maximum();
		const length = Math.min(MAXIMUM_SUMMARY, Math.floor((maximum / 4) * CHARACTERS_PER_TOKEN));
		const note = noteItem(`What came before was replaced by your summary of it:\n\n${cutMiddle(summary, length)}`);
		const again = await this.toldAgain(Math.min(MAXIMUM_TOLD, length));
		const isAtWork = this.items.at(-1) !== prompt.at(-1);
		const placed = (told: readonly InputItem[]) => (isAtWork ? [...prompt, note, ...told] : [note, ...told, ...prompt]);
		const items = [placed(again), placed([])].find(shorter => tokensOf(shorter) <= maximum);
		if (items === undefined) {
			throw this.tooLong();
		}
		this.items = items;
	}

	private async askForSummary(): Promise<string> {
		const { ask, turnModel } = this.options;
		for (let tries = 0; tries < SUMMARY_TRIES; ) {
			const items = this.summaryRequest();
			try {
				const text = textIn((await ask(items)).items).trim();
				if (text !== '') {
					return text;
				}
				tries++;
			} catch (error) {
				if (!ClientError.is(error, 'too-large')) {
					throw error;
				}
				this.refused(items);
			}
		}
		throw new TurnFailure(
			`The conversation has become too long for ${turnModel.model.name}, which wrote no summary of it when it was asked to. Start a new task for what is left, or choose another model.`,
		);
	}

	/** Returns the conversation with the request for a summary, without its oldest part if it would not fit. */
	private summaryRequest(): InputItem[] {
		const [beginning, end] = [noteItem('The beginning was left out.'), noteItem(ASK)];
		const maximum = this.maximum(SUMMARY_SHARE) - tokensOf([beginning, end]);
		let { items } = shorten(this.items, { maximum, newest: 0 });
		while (tokensOf(items) > maximum) {
			const later = laterHalf(items);
			if (later === undefined) {
				throw this.tooLong();
			}
			items = later;
		}
		return [...(items.length < this.items.length ? [beginning] : []), ...items, end];
	}

	/** Returns the last plan and the files that were edited last, as tool calls with their current results. */
	private async toldAgain(maximum: number): Promise<InputItem[]> {
		const calls = callsIn(this.items).flatMap(({ name, call_id, arguments: given }) => {
			const input = parseJson(given);
			return isFields(input) ? [{ name, input, isAgain: call_id.startsWith(AGAIN) }] : [];
		});
		const paths = calls.flatMap(({ name, input, isAgain }) =>
			name === 'edit' || name === 'write' || (name === 'read' && isAgain) ? editedPaths(input) : [],
		);
		const files = [...new Set(paths.reverse())].slice(0, TOLD_FILES).reverse();
		const wanted = [
			...calls.filter(({ name }) => name === 'plan').slice(-1),
			...files.map(path => ({ name: 'read', input: { path } })),
		];
		const items: InputItem[] = [];
		for (const { name, input } of wanted) {
			const output = await this.options.readAgain(name, input, items);
			if (output !== undefined) {
				const call_id = AGAIN + randomUUID().slice(0, 8);
				append(items, [
					{ type: 'function_call', call_id, name, arguments: JSON.stringify(input) },
					{ type: 'function_call_output', call_id, output: cutMiddle(output, Math.floor(maximum / wanted.length)) },
				]);
			}
		}
		return items;
	}

	/** Returns the results that have not been in a request yet. */
	private unseen(): InputItem[] {
		return this.items.slice(this.items.findLastIndex(({ type }) => type !== 'function_call_output') + 1);
	}

	/** Returns the maximum tokens of the conversation. */
	private maximum(share = REQUEST_SHARE): number {
		return Math.floor(this.length * share) - this.fixed;
	}

	private tooLong(): TurnFailure {
		const { name } = this.options.turnModel.model;
		return new TurnFailure(
			`The conversation has become longer than ${name} can take (${this.length} tokens). Start a new task for what is left, or choose a model with a greater length.`,
		);
	}
}
