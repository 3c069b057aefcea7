import type { LocalServiceInUse } from '../localService.ts';

/** How a client is to ask. */
export interface Asked {
	model: string;
	prompt: string;
	streamed: boolean;
	signal?: AbortSignal;
}

export interface ChatAnswer {
	text: string;
	/** How many pieces of text came. It is 1 for a whole reply. */
	pieces: number;
}

export interface City {
	city: string;
	warm: boolean;
}

/** The answer of the one tool that clients have. */
export const SNOW = 'Snow in the valley';

export const CITY_SCHEMA = {
	type: 'object',
	properties: { city: { type: 'string' }, warm: { type: 'boolean' } },
	required: ['city', 'warm'],
	additionalProperties: false,
};

export const WEATHER_SCHEMA = {
	type: 'object',
	properties: { city: { type: 'string' } },
	required: ['city'],
	additionalProperties: false,
};

/** A published third-party client, with the things that a test has it do. */
export interface ForeignClient {
	chat(asked: Asked): Promise<ChatAnswer>;
	/** Lets the model call the tool `weather`, answers with `SNOW`, and resolves with the text of the model after that. */
	tools?(asked: Asked, called: (city: unknown) => void): Promise<string>;
	/** Resolves with an object of the form of `CITY_SCHEMA`. */
	structured(asked: Asked): Promise<unknown>;
}

export type OpenClient = (used: LocalServiceInUse) => ForeignClient;

/** Reads a stream of pieces of text. */
export async function joined<T>(
	stream: AsyncIterable<T>,
	textOf: (piece: T) => string | null | undefined,
): Promise<ChatAnswer> {
	let text = '';
	let pieces = 0;
	for await (const piece of stream) {
		const said = textOf(piece);
		if (said) {
			text += said;
			pieces++;
		}
	}
	return { text, pieces };
}
