// What the demo provider answers. Deterministic: the same conversation gets the same text.
import type { ChatMessage } from '../../contract/chatRequest.ts';

export interface DemoReply {
	text: string;
	/** Milliseconds between two pieces. */
	pauseMs: number;
	/** What happens in the middle instead of an end. */
	breaksWith?: 'cut' | 'error';
}

const PAUSE_MS = 15;
const SLOW_PAUSE_MS = 100;
const SLOW_PIECES = 200;
const LONG_PARAGRAPHS = 150;
const SHOWN_PROMPT_LENGTH = 200;

const INTRODUCTION =
	"This is Errand's built-in demo, not a language model. It repeats what it was given and shows what a reply can look like.";

interface DemoScript {
	description: string;
	reply(): DemoReply;
}

const scripts: Record<string, DemoScript> = {
	help: {
		description: 'lists these scripts',
		reply: () => {
			const lines = Object.entries(scripts).map(([name, script]) => `- \`/demo ${name}\`: ${script.description}`);
			return { text: `${INTRODUCTION}\n\nIts scripts:\n\n${lines.join('\n')}\n`, pauseMs: PAUSE_MS };
		},
	},
	slow: {
		description: 'answers for about 20 seconds, to try Stop',
		reply: () => ({ text: `${INTRODUCTION}\n\n${numbered(SLOW_PIECES)}`, pauseMs: SLOW_PAUSE_MS }),
	},
	long: {
		description: 'answers with many paragraphs, to try scrolling',
		reply: () => {
			const paragraphs = Array.from(
				{ length: LONG_PARAGRAPHS },
				(_, index) =>
					`Paragraph ${index + 1} of ${LONG_PARAGRAPHS}. It says nothing, in enough words to fill more than one line of a narrow view, so that scrolling can be tried.`,
			);
			return { text: `${INTRODUCTION}\n\n${paragraphs.join('\n\n')}\n`, pauseMs: 1 };
		},
	},
	cut: {
		description: 'the connection ends in the middle, as when a service breaks down',
		reply: () => ({
			text: `${INTRODUCTION}\n\nThe connection ends after these words`,
			pauseMs: PAUSE_MS,
			breaksWith: 'cut',
		}),
	},
	error: {
		description: 'an error comes in the middle of the reply',
		reply: () => ({ text: `${INTRODUCTION}\n\nAn error follows these words`, pauseMs: PAUSE_MS, breaksWith: 'error' }),
	},
	markdown: {
		description: 'headings, a table, a link, a remote image and raw HTML, of which nothing may run or load by itself',
		reply: () => ({ text: `${INTRODUCTION}\n\n${MARKDOWN}`, pauseMs: 5 }),
	},
};

const MARKDOWN = `# Heading one

## Heading two

Text that is **bold**, *slanted*, ~~struck~~ and \`code\`, with a [link](https://example.com/ "a title").

| Left | Right |
| :--- | ---: |
| one | 1 |
| two | 22 |

1. first
2. second
   - nested

> A quotation.

![A remote image](https://example.com/image.png)

<script>document.body.textContent = 'This must never run.'</script>
<img src="https://example.com/pixel.png" onerror="document.body.textContent = 'nor this'">

\`\`\`html
<script>alert('only text')</script>
\`\`\`
`;

/** Chooses by the last message of the user: a script of `/demo <name>`, else a reply that reflects the conversation. */
export function demoReply(messages: readonly ChatMessage[]): DemoReply {
	const prompt = textOf(messages.findLast(message => message.role === 'user'));
	const name = /^\s*\/demo(?:\s+(\S+))?/.exec(prompt);
	if (name === null) {
		return { text: reflection(prompt, messages), pauseMs: PAUSE_MS };
	}
	const script = Object.hasOwn(scripts, name[1] ?? 'help') ? scripts[name[1] ?? 'help'] : scripts['help'];
	return script?.reply() ?? { text: INTRODUCTION, pauseMs: PAUSE_MS };
}

/** The text of a message; parts that are no text count as none. */
export function textOf(message: ChatMessage | undefined): string {
	const content = message?.content ?? '';
	if (typeof content === 'string') {
		return content;
	}
	return content.map(part => (part.type === 'text' ? part.text : '')).join('');
}

function reflection(prompt: string, messages: readonly ChatMessage[]): string {
	const words = prompt.split(/\s+/).filter(word => word !== '');
	const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
	const shown = shorten(prompt.replace(/\s+/g, ' ').trim(), SHOWN_PROMPT_LENGTH);
	const facts = {
		messages: messages.length,
		words: words.length,
		characters: [...prompt].length,
		longestWord: shorten(longest, 40),
		prompt: shown,
	};
	const json = JSON.stringify(facts, null, 2);
	return `${INTRODUCTION}

Your message has:

- **${facts.words}** ${facts.words === 1 ? 'word' : 'words'}
- **${facts.characters}** ${facts.characters === 1 ? 'character' : 'characters'}
- **${facts.messages}** ${facts.messages === 1 ? 'message' : 'messages'} in the conversation so far

${fence(json)}json
${json}
${fence(json)}

Send \`/demo help\` to see what else it can show.
`;
}

/** Longer than any run of backticks in what it encloses, so that a prompt cannot end the block. */
function fence(text: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(match => match[0].length));
	return '`'.repeat(longest + 1);
}

function shorten(text: string, length: number): string {
	const characters = [...text];
	return characters.length <= length ? text : `${characters.slice(0, length).join('')}…`;
}

function numbered(count: number): string {
	return Array.from({ length: count }, (_, index) => index + 1).join(' ');
}
