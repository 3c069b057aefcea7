// The first program in the sandbox, a bundle of its own. It serves the relay's unix socket at 127.0.0.1:<port> and runs the
// agent with the same standard input and output:
//   node inside.mjs <port> <socket> <command> <arguments…>
// Agents run it as well, as the command of an MCP server, whose messages it carries to the relay and back:
//   ERRAND_MCP_TOKEN=<token> node inside.mjs mcp <port> <name>
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';

const [port, socket = '', command = '', ...args] = process.argv.slice(2);

if (port === 'mcp') {
	carryMessages(Number(socket), process.env['ERRAND_MCP_TOKEN'] ?? '', command);
} else {
	serveRelay();
}

function carryMessages(relay: number, token: string, name: string): void {
	const tunnel = connect(relay, '127.0.0.1');
	tunnel.on('error', error => fail(error, 1));
	tunnel.write(`CONNECT ${name}.mcp:1 HTTP/1.1\r\nProxy-Authorization: Bearer ${token}\r\n\r\n`);
	let head = '';
	const onHead = (bytes: Buffer) => {
		head += bytes.toString('latin1');
		const end = head.indexOf('\r\n\r\n');
		if (end < 0) {
			return;
		}
		tunnel.off('data', onHead);
		if (!/^HTTP\/1\.1 200 /.test(head)) {
			fail(new Error(`The MCP server ${name} is not available.`), 1);
			return;
		}
		process.stdout.write(Buffer.from(head.slice(end + 4), 'latin1'));
		process.stdin.pipe(tunnel).pipe(process.stdout);
		tunnel.on('close', () => process.exit(0));
	};
	tunnel.on('data', onHead);
}

function serveRelay(): void {
	const server = createServer({ allowHalfOpen: true }, client => {
		const upstream = connect({ path: socket, allowHalfOpen: true });
		for (const [one, other] of [
			[client, upstream],
			[upstream, client],
		] as const) {
			one.pipe(other);
			one.on('error', () => other.destroy());
			one.on('close', () => other.destroySoon());
		}
	});
	server.on('error', error => fail(error, 1));
	server.listen(Number(port), '127.0.0.1', () => {
		// If the process that started the sandbox was killed during its creation, nobody would end the sandbox any more.
		const relay = connect(socket, () => {
			relay.destroy();
			start();
		});
		relay.on('error', error => fail(error, 1));
	});
}

function start(): void {
	const agent = spawn(command, args, { stdio: 'inherit' });
	agent.on('error', error => fail(error, 127));
	agent.on('exit', (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
}

function fail(error: Error, exitCode: number): void {
	process.stderr.write(`${error.message}\n`, () => process.exit(exitCode));
}
