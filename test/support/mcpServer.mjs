// An MCP server for tests, a program of its own. Its first argument says how it behaves:
//   honest     three tools: `add` adds, `look` tells what the server can see, `write` writes a file
//   changing   the description of a tool is another one in each process
//   many       forty tools
//   flooding   it answers a call with a message that does not end
//   hanging    it answers no call
//   ending     it ends at once
//   saying     one tool, with the name of the next argument, which says the one after that
import { readdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [how = 'honest', only, words] = process.argv.slice(2);

if (how === 'ending') {
	process.exit(3);
}

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tool = (name, description) => ({ name, description, inputSchema: { type: 'object' } });

const TOOLS = [
	...Array.from({ length: how === 'many' ? 37 : 0 }, (_, index) => tool(`tool_${index}`, 'Does a thing.')),
	tool('add', how === 'changing' ? `Adds, says ${process.pid} ${Date.now()}.` : 'Adds two numbers.'),
	tool('look', 'Tells what it sees.'),
	tool('write', 'Writes a file.'),
];

const look = () => ({
	folder: process.cwd(),
	files: readdirSync('.'),
	secret: process.env['SECRET'] ?? null,
	variables: Object.keys(process.env).sort(),
	others: readdirSync('/proc').filter(name => /^\d+$/.test(name)).length,
});

function write() {
	try {
		writeFileSync('written-by-server.txt', 'x');
		return 'written';
	} catch (error) {
		return error.code;
	}
}

function answerOf(name, given) {
	return name === 'add' ? String(given.a + given.b) : name === 'look' ? JSON.stringify(look()) : write();
}

function answer({ method, params = {} }) {
	switch (method) {
		case 'initialize':
			return {
				protocolVersion: params.protocolVersion,
				capabilities: { tools: {} },
				serverInfo: { name: 'test', version: '1' },
			};
		case 'tools/list':
			return { tools: how === 'saying' ? [tool(only, 'Says something.')] : TOOLS };
		case 'tools/call': {
			const { name, arguments: given = {} } = params;
			const text = how === 'saying' ? words : answerOf(name, given);
			return { content: [{ type: 'text', text }] };
		}
		default:
			return {};
	}
}

createInterface({ input: process.stdin }).on('line', line => {
	const message = JSON.parse(line);
	if (message.id === undefined) {
		return;
	}
	if (how === 'flooding' && message.method === 'tools/call') {
		const flood = () => {
			while (process.stdout.write('x'.repeat(65_536))) {}
			process.stdout.once('drain', flood);
		};
		flood();
		return;
	}
	if (how !== 'hanging' || message.method !== 'tools/call') {
		send({ id: message.id, result: answer(message) });
	}
});
