import type { Implementation } from './harness.ts';

/** How a chat request was routed. */
export interface Reply {
	status: number;
	provider: string | undefined;
	model: string | undefined;
	message: string;
}

export async function ask(fetch: Implementation['fetch'], body: object, path = '/chat/completions'): Promise<Reply> {
	const response = await fetch(path, {
		method: 'POST',
		body: JSON.stringify({ max_tokens: 1, messages: [{ role: 'user', content: 'Hello' }], ...body }),
	});
	const { provider, model, error } = (await response.json()) as {
		provider?: string;
		model?: string;
		error?: { message: string };
	};
	return { status: response.status, provider, model, message: error?.message ?? '' };
}
