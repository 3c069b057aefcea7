// The demo's replies, one for each endpoint. Each says that it comes from a demo, except decisions, which have no room.
import * as z from 'zod';
import { fenceOf } from '../../../base/fence.ts';
import type { Annotation } from '../../../contract/chatReply.ts';
import type { ChatMessage } from '../../../contract/chatRequest.ts';
import { ProviderFailure, type ProviderRequest } from '../provider.ts';

interface DemoReply {
	/** It begins with the first word and ends with the last one. */
	text: string;
	annotations?: Annotation[];
}

const INTRODUCTION = "This is Errand's built-in demo, not a language model.";
const SHOWN_PROMPT_LENGTH = 200;

/** Returns Markdown that repeats the beginning of the prompt and has some code. */
export function chatReply(request: ProviderRequest): DemoReply {
	const prompt = shownPrompt(request);
	const fence = fenceOf(prompt);
	const images = imagesOf(request);
	const sent = images === 0 ? '' : `, with **${images}** ${images === 1 ? 'image' : 'images'} that the demo cannot see`;
	return {
		text: `${INTRODUCTION} It shows what a reply can look like.

You wrote${sent}:

${fence}text
${prompt}
${fence}

Code has colours:

\`\`\`ts
export function greet(name: string): string {
	return \`Hello, \${name}\`;
}
\`\`\`

- **Errand: Switch or Add Connection…** leads to a model that answers what you ask.
- Until then search, images, decisions and tasks have a demo as well.`,
	};
}

/**
 * Returns statements, each with a source that says where it belongs in the text (contract: inference.md, Web search
 * annotation).
 */
export function searchReply(request: ProviderRequest): DemoReply {
	let text = `${INTRODUCTION} Nothing was searched for: the sources below are made up.\n\nAbout “${shownPrompt(request)}”:`;
	const annotations: Annotation[] = [];
	for (const number of [1, 2]) {
		const statement = `Statement ${number} has a source.`;
		const start_index = text.length + 2;
		annotations.push({
			type: 'url_citation',
			url_citation: {
				url: `https://example.com/source-${number}`,
				title: `Example ${number}`,
				content: 'An excerpt that was made up as well.',
				start_index,
				end_index: start_index + statement.length,
			},
		});
		text += `\n\n${statement}`;
	}
	return { text, annotations };
}

/** The format in which a decision is asked for (decisions/form.ts). */
const decisionFormatSchema = z.looseObject({
	json_schema: z.looseObject({
		schema: z.looseObject({
			properties: z.looseObject({ answer: z.looseObject({ enum: z.tuple([z.string()], z.string()) }) }),
		}),
	}),
});

/**
 * Returns the answer to a decision, which gives no option more than another, or undefined if the request enforces no
 * format.
 * @throws ProviderFailure if it enforces another format.
 */
export function filledForm({ response_format: format }: ProviderRequest): DemoReply | undefined {
	if (format === undefined || format.type === 'text') {
		return undefined;
	}
	const labels = decisionFormatSchema.safeParse(format).data?.json_schema.schema.properties.answer.enum;
	if (labels === undefined) {
		throw new ProviderFailure(
			'invalid_request',
			'response_format: the demo has no model, and keeps to no format but that of a decision. Add a model server, and name one of its models.',
		);
	}
	return { text: JSON.stringify({ answer: labels[0], probability: 1 / labels.length }) };
}

export function textOf({ content }: ChatMessage): string {
	if (typeof content === 'string') {
		return content;
	}
	return (content ?? []).map(part => (part.type === 'text' ? part.text : '')).join('');
}

/** Returns the text that the demo replies to: the user's last message. */
export function promptOf(request: ProviderRequest): string {
	const message = lastOfUser(request);
	return message === undefined ? '' : textOf(message);
}

function lastOfUser({ messages }: ProviderRequest): ChatMessage | undefined {
	return messages.findLast(({ role }) => role === 'user');
}

function imagesOf(request: ProviderRequest): number {
	const content = lastOfUser(request)?.content;
	return Array.isArray(content) ? content.filter(({ type }) => type === 'image_url').length : 0;
}

function shownPrompt(request: ProviderRequest): string {
	const characters = [...promptOf(request).replace(/\s+/g, ' ').trim()];
	const shown = characters.slice(0, SHOWN_PROMPT_LENGTH).join('');
	return characters.length <= SHOWN_PROMPT_LENGTH ? shown : `${shown}…`;
}
