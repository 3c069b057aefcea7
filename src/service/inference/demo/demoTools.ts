// The demo's tool calls, and its replies to their results.
import type { ChatTool } from '../../../contract/chatRequest.ts';
import type { ProviderRequest } from '../provider.ts';
import { textOfPieces } from './demoPiece.ts';
import {
	type DemoCall,
	type DemoReply,
	fence,
	INTRODUCTION,
	promptOf,
	shorten,
	textOf,
	textReply,
	toolNames,
} from './demoReply.ts';
import { SchemaTooRich, sampleOf } from './jsonSample.ts';

const FILLER = 'demo';
const SHOWN_RESULT_LENGTH = 500;

/** Returns calls of the tools that the request forces the demo to call, or undefined if it forces none. */
export function forcedCalls(request: ProviderRequest): DemoReply | undefined {
	const { tools = [], tool_choice: choice } = request;
	if (choice === 'required') {
		return tools.length === 0
			? unfit('tool_choice: a call is required, and there are no tools.')
			: callsOf(request, tools.slice(0, 1));
	}
	if (typeof choice !== 'object') {
		return undefined;
	}
	const named = tools.filter(tool => tool.function.name === choice.function.name);
	return named.length === 0
		? unfit('tool_choice: it names a tool that is not in tools.')
		: callsOf(request, named.slice(0, 1));
}

/**
 * Returns a reply that calls the first `count` tools of the request, the same one several times if there is only one.
 * If no tool may be called, the reply explains that.
 */
export function callsOrExplanation(request: ProviderRequest, count: number): DemoReply {
	const { tools = [], tool_choice: choice } = request;
	const [first] = tools;
	if (first === undefined) {
		return textReply(`${INTRODUCTION}\n\nIt would call a tool now, but the request has none.\n`);
	}
	if (choice === 'none') {
		return textReply(`${INTRODUCTION}\n\nIt would call a tool now, but tool_choice is "none".\n`);
	}
	return callsOf(
		request,
		Array.from({ length: count }, (_, index) => tools[index] ?? first),
	);
}

/** Returns the demo's reply to the results of tools, or undefined unless the conversation ends with such results. */
export function afterResults({ messages }: ProviderRequest): DemoReply | undefined {
	const results = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1);
	if (results.length === 0) {
		return undefined;
	}
	const shown = results.map(result => {
		const text = shorten(textOf(result), SHOWN_RESULT_LENGTH);
		return `${fence(text)}text\n${text}\n${fence(text)}`;
	});
	const count = results.length === 1 ? 'The tool has answered' : `The ${results.length} tools have answered`;
	return textReply(`${INTRODUCTION}\n\n${count}:\n\n${shown.join('\n\n')}\n`);
}

function callsOf(request: ProviderRequest, tools: readonly ChatTool[]): DemoReply {
	const calls: DemoCall[] = [];
	for (const { function: called } of tools) {
		try {
			const pieces = sampleOf(called.parameters ?? { type: 'object' }, FILLER, promptOf(request));
			calls.push({ name: called.name, arguments: textOfPieces(pieces) });
		} catch (error) {
			if (error instanceof SchemaTooRich) {
				return unfit(`tools: the demo cannot fill in the parameters of "${called.name}": ${error.message}.`);
			}
			throw error;
		}
	}
	return textReply(`${INTRODUCTION}\n\nIt calls ${toolNames(tools)}, with made-up arguments.`, { calls });
}

function unfit(message: string): DemoReply {
	return textReply('', { fails: { code: 'invalid_request', message } });
}
