import { createHash, randomBytes } from 'node:crypto';
import {
	type CallToolResult,
	CLIENT_CAPABILITIES_META_KEY,
	type ClientCapabilities,
	createRequestStateCodec,
	type InputRequiredResult,
	inputRequired,
	inputResponse,
	type McpServer,
	type RequestStateCodec,
	type ServerContext,
} from '@modelcontextprotocol/server';
import { showExactly } from '../../base/invisible.ts';
import type { Question } from './access.ts';
import { refusal } from './results.ts';

const VALID_SECONDS = 600;

/**
 * The identity of the question, which the client sends back with the answer. It is signed, and can be used only once.
 */
interface Asked {
	question: string;
	once: string;
}

/**
 * Asks the user of a client through a form that the client shows (elicitation). A yes holds only once, and for exactly
 * the content of the form.
 */
export class Confirmations {
	private readonly codec: RequestStateCodec<Asked> = createRequestStateCodec<Asked>({
		key: randomBytes(32),
		ttlSeconds: VALID_SECONDS,
	});
	private readonly used = new Set<string>();

	/** The server's hook for the state that clients send back. */
	readonly verify = (state: string, context: ServerContext): Promise<Asked> => this.codec.verify(state, context);

	/** Returns `yes`, or the answer to the call: the question itself, or the reason why there is no yes. */
	async ask(
		server: McpServer,
		context: ServerContext,
		question: Question,
	): Promise<'yes' | CallToolResult | InputRequiredResult> {
		const text = textOf(question);
		const digest = createHash('sha256').update(text).digest('base64url');
		const answer = inputResponse(context.mcpReq.inputResponses, 'answer');
		const state = context.mcpReq.requestState<Asked>();
		if (answer.kind === 'elicit' && state?.question === digest && !this.used.has(state.once)) {
			this.used.add(state.once);
			return answer.action === 'accept' && answer.content?.['allow'] === true
				? 'yes'
				: refusal('The user didn’t allow it, so nothing was sent. Don’t try again unless they ask for it.');
		}
		if (!canAsk(server, context)) {
			return refusal(
				'This needs the user’s yes, and here nobody can be asked: there is no editor, and this client shows no forms (elicitation). Nothing was sent. Do it in the editor with Errand, or use a client that shows forms.',
			);
		}
		return inputRequired({
			inputRequests: {
				answer: inputRequired.elicit({
					message: text,
					requestedSchema: {
						type: 'object',
						properties: { allow: { type: 'boolean', title: question.yes } },
						required: ['allow'],
					},
				}),
			},
			requestState: await this.codec.mint({ question: digest, once: randomBytes(16).toString('base64url') }),
		});
	}
}

/**
 * Returns the whole question, with a name for each invisible character. The lines of a long text begin with a mark, so
 * that none of them can be taken for a part of the question.
 */
function textOf({ title, parts }: Question): string {
	const lines = parts.map(({ name, text }) => {
		const shown = showExactly(text);
		return shown.includes('\n') || shown.length > 80
			? `${name} (${text.length} characters):\n${shown.replace(/^/gm, '│ ')}`
			: `${name}: ${shown}`;
	});
	return [title, ...lines].join('\n\n');
}

/** A client that names no mode of elicitation means the form. */
function canAsk(server: McpServer, context: ServerContext): boolean {
	const envelope = context.mcpReq.envelope as Record<string, unknown> | undefined;
	const declared = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities()) as
		| ClientCapabilities
		| undefined;
	const { elicitation } = declared ?? {};
	return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
