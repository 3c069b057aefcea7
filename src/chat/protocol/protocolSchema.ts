// Parses the page's messages. Only the host uses this.
import * as z from 'zod';
import { MAXIMUM_ANSWER, MAXIMUM_FIELDS } from '../../agents/session/forms.ts';
import type { NextTaskChoice } from '../../tasks/api.ts';
import { APPROVAL_ANSWERS, APPROVAL_SETTINGS } from '../model/approvals.ts';
import { IMAGE_FILE } from '../model/images.ts';
import { TURN_MODES } from '../model/mode.ts';
import {
	type FromPage,
	MAXIMUM_COPY_LENGTH,
	MAXIMUM_DROP,
	MAXIMUM_FILE_TEXT,
	MAXIMUM_IMAGE_DATA,
	MAXIMUM_MESSAGE_LENGTH,
	MAXIMUM_NAME_LENGTH,
	MAXIMUM_NAMES,
	MAXIMUM_PASTE_LENGTH,
	MAXIMUM_STATE_LENGTH,
	MAXIMUM_URL_LENGTH,
	MAXIMUM_WEB_ADDRESS,
} from './protocol.ts';
import { MAXIMUM_STEP_ID, MAXIMUM_WORK_PATH } from './workProtocol.ts';

const turn = z.uuid();
const request = z.uuid();
const conversation = z.uuid().exactOptional();
// Up to twice the limit is accepted, so that a message that is too long is refused with a sentence.
const text = z.string().max(2 * MAXIMUM_MESSAGE_LENGTH);
const step = z.string().max(MAXIMUM_STEP_ID);
const index = z.int().nonnegative();
const answer = z.string().max(MAXIMUM_ANSWER);
const name = z.string().min(1).max(255);
const fileName = z.string().max(MAXIMUM_NAME_LENGTH);
const address = z.string().max(MAXIMUM_URL_LENGTH);
const image = z.string().regex(IMAGE_FILE);
const taskChoices: { readonly [Choice in NextTaskChoice]: Choice } = {
	prompt: 'prompt',
	repository: 'repository',
	branch: 'branch',
	agent: 'agent',
	model: 'model',
	cost: 'cost',
	sandbox: 'sandbox',
	problem: 'problem',
};

const fromPageSchema = z.discriminatedUnion('kind', [
	z.strictObject({ kind: z.enum(['page-ready', 'snapshot-request', 'prompts-request', 'models-request']), request }),
	// The answer to a request of the host.
	z.strictObject({
		kind: z.literal('answer'),
		request,
		answer: z.union([z.strictObject({ value: z.boolean() }), z.strictObject({ problem: z.string().max(1_000) })]),
	}),
	z.strictObject({
		kind: z.literal('message-send'),
		conversation,
		turn,
		text,
		edits: turn.exactOptional(),
		waits: z.literal(true).exactOptional(),
		task: z.literal(true).exactOptional(),
	}),
	z.strictObject({ kind: z.enum(['message-hurry', 'message-withdraw', 'work-plan-use', 'version-show']), turn }),
	z.strictObject({ kind: z.enum(['reply-stop', 'reply-retry', 'reply-continue']), turn }),
	z.strictObject({ kind: z.enum(['explanation-follow', 'refusal-follow']), turn }),
	z.strictObject({ kind: z.literal('earlier-request'), request, before: turn }),
	z.strictObject({
		kind: z.enum(['connection-follow', 'agent-pick', 'prompts-edit', 'model-choose', 'routing-choose']),
	}),
	z.strictObject({ kind: z.enum(['context-pick', 'context-shorten', 'encryption-begin', 'attestation-show']) }),
	z.strictObject({ kind: z.literal('server-add'), turn: turn.exactOptional() }),
	z.strictObject({ kind: z.literal('mode-choose'), mode: z.enum(TURN_MODES) }),
	z.strictObject({ kind: z.literal('approvals-choose'), approvals: z.enum(APPROVAL_SETTINGS) }),
	z.strictObject({ kind: z.literal('task-follow'), isShown: z.boolean() }),
	z.strictObject({ kind: z.literal('task-choose'), choice: z.enum(taskChoices) }),
	z.strictObject({ kind: z.literal('task-prompt-open'), request, text }),
	z.strictObject({ kind: z.literal('step-answer'), turn, question: z.uuid(), answer: z.enum(APPROVAL_ANSWERS) }),
	z.strictObject({
		kind: z.literal('step-fill'),
		request,
		turn,
		question: z.uuid(),
		values: z
			.record(answer, z.union([answer, z.number(), z.boolean(), z.array(answer).max(MAXIMUM_NAMES)]))
			.refine(values => Object.keys(values).length <= MAXIMUM_FIELDS),
	}),
	z.strictObject({ kind: z.literal('step-request'), request, turn, step }),
	z.strictObject({ kind: z.literal('step-act'), turn, step }),
	z.strictObject({ kind: z.enum(['step-diff-open', 'step-place-open']), turn, step, index }),
	z.strictObject({
		kind: z.enum(['work-compare', 'work-take', 'work-undo']),
		turn,
		file: z.string().max(MAXIMUM_WORK_PATH).exactOptional(),
	}),
	z.strictObject({ kind: z.literal('reply-image-request'), request, turn, file: image }),
	z.strictObject({
		kind: z.enum(['reply-image-reload', 'reply-image-save', 'reply-image-insert', 'reply-image-open']),
		turn,
	}),
	z.strictObject({ kind: z.literal('draft-hold'), conversation: z.uuid(), text }),
	z.strictObject({
		kind: z.literal('model-use'),
		conversation,
		model: z.string().min(1).max(MAXIMUM_NAME_LENGTH),
	}),
	z.strictObject({ kind: z.literal('link-open'), url: address }),
	z.strictObject({ kind: z.literal('context-drop'), uris: z.array(address).max(MAXIMUM_DROP) }),
	z.strictObject({ kind: z.literal('context-text'), name, text: z.string().max(MAXIMUM_FILE_TEXT) }),
	z.strictObject({ kind: z.literal('context-image'), name, data: z.base64().max(MAXIMUM_IMAGE_DATA) }),
	z.strictObject({ kind: z.literal('preview-request'), request, file: image, turn: turn.exactOptional() }),
	z.strictObject({ kind: z.enum(['chip-remove', 'chip-open']), chip: z.uuid() }),
	z.strictObject({ kind: z.literal('attachment-open'), turn, index }),
	z.strictObject({ kind: z.literal('completion-request'), request, query: z.string().max(MAXIMUM_WEB_ADDRESS) }),
	z.strictObject({ kind: z.literal('completion-take'), item: z.uuid() }),
	z.strictObject({ kind: z.literal('paste-check'), request, text: z.string().max(MAXIMUM_PASTE_LENGTH) }),
	z.strictObject({ kind: z.literal('paste-take'), paste: z.uuid() }),
	z.strictObject({ kind: z.literal('focus-set'), focused: z.boolean() }),
	z.strictObject({ kind: z.literal('state-keep'), state: z.string().max(MAXIMUM_STATE_LENGTH) }),
	z.strictObject({ kind: z.literal('text-copy'), text: z.string().min(1).max(MAXIMUM_COPY_LENGTH) }),
	z.strictObject({
		kind: z.literal('code-use'),
		action: z.enum(['insert', 'new-file', 'apply']),
		turn,
		code: z.string().min(1).max(MAXIMUM_COPY_LENGTH),
		language: fileName.exactOptional(),
		file: fileName.exactOptional(),
	}),
	z.strictObject({ kind: z.literal('files-check'), request, names: z.array(fileName).max(MAXIMUM_NAMES) }),
	z.strictObject({ kind: z.literal('file-open'), name: fileName }),
	z.strictObject({ kind: z.literal('image-load'), request, url: address }),
]);

/** Returns undefined for anything that is not a message of the page. */
export function parseFromPage(message: unknown): FromPage | undefined {
	const parsed = fromPageSchema.safeParse(message);
	return parsed.success ? parsed.data : undefined;
}

/** Returns the address if it may be opened in the browser: an absolute http, https or mailto URL. */
export function openableUrl(text: string): URL | undefined {
	const url = URL.parse(text);
	return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : undefined;
}
