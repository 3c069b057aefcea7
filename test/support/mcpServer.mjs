// An MCP server for tests, a program of its own, on standard input and output, or with `--http` as its last argument at an
// address of this machine, which it writes down in its first line. Its first argument says how it behaves:
//   honest     three tools: `add` adds, `look` tells what the server can see, `write` writes a file
//   changing   the description of a tool is another one in each list
//   many       forty tools
//   flooding   it answers a call with a message that does not end
//   hanging    it answers no call
//   asking     before it answers a call, it asks for a model's words, for a key and for folders, and answers with the results
//   ending     it ends at once
//   saying     one tool, with the name of the next argument, which says the one after that
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const isHttp = process.argv.at(-1) === '--http';
const [how = 'honest', only, words] = process.argv.slice(2, isHttp ? -1 : undefined);

if (how === 'ending') {
	process.exit(3);
}

const tool = (name, description) => ({ name, description, inputSchema: { type: 'object' } });
let lists = 0;

const tools = () => [
	...Array.from({ length: how === 'many' ? 37 : 0 }, (_, index) => tool(`tool_${index}`, 'Does a thing.')),
	tool('add', how === 'changing' ? `Adds, says ${Date.now()} ${lists++}.` : 'Adds two numbers.'),
	tool('look', 'Tells what it sees.'),
	tool('write', 'Writes a file.'),
];

const look = () => ({
	folder: process.cwd(),
	files: readdirSync('.'),
	secret: process.env['SECRET'] ?? null,
	variables: Object.keys(process.env).sort(),
	networks: Object.keys(networkInterfaces()),
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
			return { tools: how === 'saying' ? [tool(only, 'Says something.')] : tools() };
		case 'tools/call': {
			const { name, arguments: given = {} } = params;
			const text = how === 'saying' ? words : answerOf(name, given);
			return { content: [{ type: 'text', text }] };
		}
		default:
			return {};
	}
}

function flood(stream) {
	while (stream.write('x'.repeat(65_536))) {}
	stream.once('drain', () => flood(stream));
}

/** The requests of the server that are not answered. */
const asked = new Map();

async function ask(send) {
	const key = { type: 'object', properties: { key: { type: 'string', title: 'Your API key' } }, required: ['key'] };
	const requests = [
		['sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 9 }],
		['elicitation/create', { message: 'Enter your key', requestedSchema: key }],
		['roots/list', {}],
	];
	const answers = requests.map(([method, params]) => {
		const { promise, resolve } = Promise.withResolvers();
		asked.set(method, resolve);
		send({ id: method, method, params });
		return promise;
	});
	const codes = (await Promise.all(answers)).map(({ error }) => error?.code ?? 'answered');
	return { content: [{ type: 'text', text: codes.join() }] };
}

/** Takes a message of the client. `send` and `stream` lead back to it. */
async function take(message, send, stream) {
	const { id, method } = message;
	if (method === undefined) {
		asked.get(id)?.(message);
		return;
	}
	const behaviour = id === undefined ? 'hanging' : method === 'tools/call' ? how : 'honest';
	switch (behaviour) {
		case 'flooding':
			flood(stream);
			return;
		case 'hanging':
			return;
		case 'asking':
			send({ id, result: await ask(send) });
			return;
		default:
			send({ id, result: answer(message) });
	}
}

const lineOf = message => JSON.stringify({ jsonrpc: '2.0', ...message });

if (isHttp) {
	let open = 0;
	const server = createServer(async (request, response) => {
		if (request.method !== 'POST') {
			// Tests ask how many calls are open.
			response.end(String(open));
			return;
		}
		open++;
		response.on('close', () => open--);
		const message = JSON.parse(await text(request));
		if (message.id === undefined || message.method === undefined) {
			response.writeHead(202).end();
		} else {
			response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
		}
		await take(message, each => response.write(`data: ${lineOf(each)}\n\n`), response);
	});
	server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
} else {
	const send = message => process.stdout.write(`${lineOf(message)}\n`);
	createInterface({ input: process.stdin }).on('line', line => take(JSON.parse(line), send, process.stdout));
}
