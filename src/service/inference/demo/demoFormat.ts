import type { ProviderRequest } from '../provider.ts';
import { type DemoReply, INTRODUCTION, shownPrompt, textReply } from './demoReply.ts';
import { SchemaTooRich, sampleOf } from './jsonSample.ts';

const FILLER = 'Written by the Errand demo, which is no model.';

/** Returns a reply in the format that the request enforces, or undefined if it enforces none. */
export function formattedReply(request: ProviderRequest): DemoReply | undefined {
	const { response_format: format } = request;
	switch (format?.type) {
		case undefined:
		case 'text':
			return undefined;
		case 'json_object':
			return textReply(JSON.stringify({ note: INTRODUCTION, prompt: shownPrompt(request) }));
		case 'json_schema':
			return fitting(format['json_schema'], request);
		default:
			return unfit(`response_format: the demo does not know the type ${JSON.stringify(format?.type)}.`);
	}
}

function fitting(description: unknown, request: ProviderRequest): DemoReply {
	const schema: unknown =
		typeof description === 'object' && description !== null ? Reflect.get(description, 'schema') : undefined;
	if (schema === undefined) {
		return unfit('response_format.json_schema.schema is missing.');
	}
	try {
		const key = `${request.seed ?? ''}\n${request.messages.map(({ content }) => JSON.stringify(content)).join('\n')}`;
		return textReply('', { pieces: sampleOf(schema, FILLER, key) });
	} catch (error) {
		if (error instanceof SchemaTooRich) {
			return unfit(`response_format: ${error.message}.`);
		}
		throw error;
	}
}

function unfit(message: string): DemoReply {
	return textReply('', { fails: { code: 'invalid_request', message } });
}
