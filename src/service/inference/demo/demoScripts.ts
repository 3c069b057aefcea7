// The replies of the demo provider. They are deterministic: the same request gets the same reply.
import type { ProviderRequest } from '../provider.ts';
import { formattedReply } from './demoFormat.ts';
import { piecesOf } from './demoPiece.ts';
import { type DemoReply, fence, INTRODUCTION, promptOf, shorten, shownPrompt, textReply } from './demoReply.ts';
import { citedReply } from './demoSearch.ts';
import { CODE, LONG, MARKDOWN, REASONING, TABLE, WORDS } from './demoTexts.ts';
import { afterResults, callsOrExplanation, forcedCalls } from './demoTools.ts';
import { hashOf } from './hash.ts';
import { receivedImages } from './receivedImages.ts';

const SLOW_PAUSE_MS = 100;
const SLOW_PIECES = 200;
const RANDOM_WORDS = 20;

/** The ids of the demo's models. */
export const demoModels = { chat: 'demo', code: 'demo-code', search: 'errand-search', image: 'demo-image' } as const;

interface DemoScript {
	description: string;
	/**
	 * `isFirst` is true for the first of the demo's two providers, which is the one that fails to demonstrate a fallback.
	 */
	reply(request: ProviderRequest, isFirst: boolean): DemoReply;
}

const introduced = (text: string, rest?: Partial<DemoReply>): DemoReply =>
	textReply(`${INTRODUCTION}\n\n${text}`, rest);

const scripts: Record<string, DemoScript> = {
	help: {
		description: 'lists these scripts',
		reply: () => {
			const lines = Object.entries(scripts).map(([name, script]) => `- \`/demo ${name}\`: ${script.description}`);
			return introduced(`Its scripts:\n\n${lines.join('\n')}\n\n${OTHER_MODELS}`);
		},
	},
	slow: {
		description: 'answers for about 20 seconds, to try Stop',
		reply: () =>
			introduced(Array.from({ length: SLOW_PIECES }, (_, index) => index + 1).join(' '), { pauseMs: SLOW_PAUSE_MS }),
	},
	long: {
		description: 'answers with many paragraphs, to try scrolling',
		reply: () => introduced(LONG, { pauseMs: 1 }),
	},
	markdown: {
		description: 'headings, a table, a link, a remote image and raw HTML, of which nothing may run or load by itself',
		reply: () => introduced(MARKDOWN, { pauseMs: 5 }),
	},
	code: { description: 'code in three languages', reply: () => introduced(CODE, { pauseMs: 5 }) },
	table: { description: 'a table of numbers', reply: () => introduced(TABLE, { pauseMs: 5 }) },
	reasoning: {
		description: 'reasoning before the reply',
		reply: () => introduced('Reasoning came before these words.\n', { reasoning: piecesOf(REASONING) }),
	},
	tools: {
		description: 'calls the first tool of the request, then shows what it answered',
		reply: request => callsOrExplanation(request, 1),
	},
	parallel: {
		description: 'calls two tools at once, the same one twice where there is only one',
		reply: request => callsOrExplanation(request, 2),
	},
	citations: {
		description: 'statements with sources, as a search gives them',
		reply: citedReply,
	},
	json: {
		description: 'JSON; with response_format it is the whole reply, and fits a simple schema',
		reply: request => {
			const json = JSON.stringify(
				{ prompt: shownPrompt(request), items: [1, 2, 3], nested: { isTrue: true } },
				null,
				2,
			);
			return introduced(block('json', json));
		},
	},
	random: {
		description: 'words that depend on the seed of the request',
		reply: ({ seed = 0 }) => {
			const words = Array.from(
				{ length: RANDOM_WORDS },
				(_, index) => WORDS[hashOf(`${seed}\n${index}`) % WORDS.length],
			);
			return introduced(`With the seed ${seed}: ${words.join(' ')}.\n`);
		},
	},
	cut: {
		description: 'the connection ends in the middle, as when a service breaks down',
		reply: () => introduced('The connection ends after these words', { breaksWith: 'cut' }),
	},
	error: {
		description: 'an error comes in the middle of the reply',
		reply: () => introduced('An error follows these words', { breaksWith: 'error' }),
	},
	fail: {
		description: 'fails before the first word, whoever serves',
		reply: () => failing('/demo fail'),
	},
	fallback: {
		description: 'one provider fails before the first word, and the other one answers in its place',
		reply: (_request, isFirst) =>
			isFirst ? failing('/demo fallback') : introduced('It answers in place of `demo`, which failed.\n'),
	},
};

const OTHER_MODELS = `Its other models:

- \`${demoModels.search}\`: answers with made-up sources
- \`${demoModels.image}\`: answers with the address of an image
- \`${demoModels.code}\`: as a code-oriented model of the responses endpoint, with reasoning

Decisions are answered too. max_tokens, stop, seed, tool_choice and response_format are honoured. Of an image that comes with a message, the type and the size are told.
`;

/** Returns the demo's reply: as the request forces it to, else by a script of `/demo <name>`, else by the model. */
export function demoReply(request: ProviderRequest, isFirst = true): DemoReply {
	const [, name] = /^\s*\/demo(?:\s+(\S+))?/.exec(promptOf(request)) ?? ['', undefined];
	const isScript = /^\s*\/demo(?:\s|$)/.test(promptOf(request));
	const script = Object.hasOwn(scripts, name ?? 'help') ? scripts[name ?? 'help'] : scripts['help'];
	const forced = forcedCalls(request) ?? formattedReply(request) ?? afterResults(request);
	if (forced !== undefined) {
		return forced;
	}
	if (isScript && script !== undefined) {
		return script.reply(request, isFirst);
	}
	switch (request.model) {
		case demoModels.search:
			return citedReply(request);
		case demoModels.code:
			return textReply(reflection(request), { reasoning: piecesOf(REASONING) });
		default:
			return textReply(reflection(request));
	}
}

function reflection(request: ProviderRequest): string {
	const prompt = promptOf(request);
	const { messages } = request;
	const words = prompt.split(/\s+/).filter(word => word !== '');
	const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
	const facts = {
		messages: messages.length,
		words: words.length,
		characters: [...prompt].length,
		longestWord: shorten(longest, 40),
		prompt: shownPrompt(request),
	};
	const recalled = messages.filter(({ reasoning }) => reasoning !== undefined).length;
	const remembered = recalled === 0 ? '' : `- **${recalled}** of them with reasoning that came back\n`;
	return `${INTRODUCTION}

Your message has:

- **${facts.words}** ${facts.words === 1 ? 'word' : 'words'}
- **${facts.characters}** ${facts.characters === 1 ? 'character' : 'characters'}
- **${facts.messages}** ${facts.messages === 1 ? 'message' : 'messages'} in the conversation so far
${remembered}${receivedImages(request)}
${block('json', JSON.stringify(facts, null, 2))}
Send \`/demo help\` to see what else it can show.
`;
}

function block(language: string, text: string): string {
	return `${fence(text)}${language}\n${text}\n${fence(text)}\n`;
}

function failing(script: string): DemoReply {
	return textReply('', { fails: { code: 'unavailable', message: `The demo was asked to fail (${script}).` } });
}
