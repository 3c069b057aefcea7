// Runs a shell script in a sandbox, as a process that a test can kill or start as another user: node startSandboxed.ts
// <folder for the sandbox's folders> <script>
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { TestSandbox } from './sandbox.ts';

const [folder, script = ''] = process.argv.slice(2);
const sandbox = await TestSandbox.create(folder);
try {
	const socket = path.join(sandbox.folder, 'relay.sock');
	const relay = createServer((_request, response) => response.end())
		.listen(socket)
		.unref();
	await once(relay, 'listening');
	const child = await sandbox.start(script, { socket });
	child.stdout?.pipe(process.stdout);
	child.stderr?.pipe(process.stderr);
	process.exitCode = await new Promise<number>(resolve => child.once('close', code => resolve(code ?? 1)));
} finally {
	await sandbox.remove();
}
