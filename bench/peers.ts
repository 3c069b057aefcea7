// Other packages that do the same work. They are dependencies of this folder only, installed by the first run.

/** Sends `body` to `address`, reads the chat stream, and passes each piece of its text to `onText`. */
export type ReadChat = (address: string, body: ChatBody, onText: (text: string) => void) => Promise<void>;

export interface ChatBody {
	model: string;
	messages: { role: 'user' | 'assistant'; content: string }[];
}

export type PeerName = 'openai' | 'AI SDK' | 'fetch-event-source';

interface Chunk {
	choices?: { delta?: { content?: string } }[];
}

const textOf = (chunk: Chunk) => chunk.choices?.[0]?.delta?.content ?? '';

/** The packages are not typed, because they are not installed before a bench has been run. */
// biome-ignore lint/suspicious/noExplicitAny: see above
const load = (name: string): Promise<any> => import(name);

/** Loads a peer and creates its client once for many streams. */
export async function openPeer(name: PeerName): Promise<ReadChat> {
	switch (name) {
		case 'openai': {
			const { OpenAI } = await load('openai');
			let client: { chat: { completions: { create(body: object): Promise<AsyncIterable<Chunk>> } } } | undefined;
			return async (address, body, onText) => {
				client ??= new OpenAI({ apiKey: 'sk-bench', baseURL: address, maxRetries: 0 });
				for await (const chunk of (await client?.chat.completions.create({ ...body, stream: true })) ?? []) {
					onText(textOf(chunk));
				}
			};
		}
		case 'AI SDK': {
			const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible');
			return async (address, body, onText) => {
				const model = createOpenAICompatible({ name: 'bench', apiKey: 'sk-bench', baseURL: address }).chatModel(
					body.model,
				);
				const prompt = body.messages.map(({ role, content }) => ({ role, content: [{ type: 'text', text: content }] }));
				const { stream } = await model.doStream({ prompt });
				for await (const part of stream) {
					if (part.type === 'text-delta') {
						onText(part.delta);
					}
				}
			};
		}
		case 'fetch-event-source': {
			const read = await openFetchEventSource();
			return (address, body, onText) =>
				read(
					`${address}/chat/completions`,
					{ method: 'POST', body: JSON.stringify({ ...body, stream: true }) },
					fetch,
					data => {
						if (data !== '[DONE]') {
							onText(textOf(JSON.parse(data)));
						}
					},
				);
		}
	}
}

type ReadEvents = (
	url: string,
	request: RequestInit,
	fetch: typeof globalThis.fetch,
	onData: (data: string) => void,
) => Promise<void>;

/** Loads fetch-event-source, which is written for a page and needs a window and a document. */
export async function openFetchEventSource(): Promise<ReadEvents> {
	Object.assign(globalThis, { window: globalThis, document: { removeEventListener() {} } });
	const { fetchEventSource } = await load('@microsoft/fetch-event-source');
	return (url, request, fetch, onData) =>
		fetchEventSource(url, {
			...request,
			fetch,
			openWhenHidden: true,
			onopen: async () => {},
			onmessage: ({ data }: { data: string }) => onData(data),
			onerror: (error: unknown) => {
				throw error;
			},
		});
}

/** Loads the openai package's own reader of a reply's events, which parses each as JSON. */
export async function openOpenAiStream(): Promise<(response: Response) => AsyncIterable<unknown>> {
	const { Stream } = await load('openai/streaming');
	return response => Stream.fromSSEResponse(response, new AbortController());
}
