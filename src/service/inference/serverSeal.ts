import { createHash } from 'node:crypto';
import type { Fields } from '../../base/fields.ts';
import type { ThinkingBlock } from '../../contract/messages.ts';
import type { ProviderRequest } from './provider.ts';

/** Begins what a model server has signed or sealed, among the reasoning that clients send back unchanged. */
const FORM = 'server1.';

/** Returns whether this service has passed on a text as signed or sealed by a model server, whichever it was. */
export function isServerSealed(text: unknown): text is string {
	return typeof text === 'string' && text.startsWith(FORM);
}

/**
 * Binds what a model server signs or seals of its reasoning to that server: another one could not read it, would refuse
 * the conversation for it, and has no right to it.
 */
export class ServerSeal {
	private readonly mark: string;

	constructor(url: string) {
		// A client need not learn the address.
		this.mark = `${FORM}${createHash('sha256').update(url).digest('base64url').slice(0, 16)}.`;
	}

	/** Marks a signature, or sealed reasoning, as the server's. */
	seal(text: string): string {
		return this.mark + text;
	}

	/** Returns a text as the server has sent it, or undefined if it is not the server's. */
	open(text: unknown): string | undefined {
		return typeof text === 'string' && text.startsWith(this.mark) ? text.slice(this.mark.length) : undefined;
	}

	/** Returns a request whose signed and sealed reasoning is that of the server alone, as the server has sent it. */
	own(request: ProviderRequest): ProviderRequest {
		const { responses } = request;
		return {
			...request,
			messages: request.messages.map(({ thinking, ...message }) => {
				const own = thinking?.flatMap((block): ThinkingBlock[] => {
					const text = this.open('data' in block ? block.data : block.signature);
					return text === undefined ? [] : ['data' in block ? { ...block, data: text } : { ...block, signature: text }];
				});
				return own?.length ? { ...message, thinking: own } : message;
			}),
			...(responses && {
				responses: {
					...responses,
					input: responses.input.flatMap((item): Fields[] => {
						if (item['type'] !== 'reasoning' || !('encrypted_content' in item)) {
							return [item];
						}
						const encrypted_content = this.open(item['encrypted_content']);
						return encrypted_content === undefined ? [] : [{ ...item, encrypted_content }];
					}),
				},
			}),
		};
	}
}
