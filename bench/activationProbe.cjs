// Runs inside the extension host: activates one extension in an idle editor and prints the cost.
const process = require('node:process');
const { setTimeout: wait } = require('node:timers/promises');
const vscode = require('vscode');

const tickMs = 20;
const calmTicks = 50;
const limitMs = 30_000;

/** Waits until nothing has held up the event loop for a second. */
async function idle() {
	const deadline = Date.now() + limitMs;
	for (let calm = 0; calm < calmTicks && Date.now() < deadline; ) {
		const before = performance.now();
		await wait(tickMs);
		calm = performance.now() - before < tickMs + 5 ? calm + 1 : 0;
	}
}

/** Reads the editor's own numbers, from a table in the document that this command opens. */
async function activationTimes(id) {
	await vscode.commands.executeCommand('perfview.show');
	const deadline = Date.now() + limitMs;
	while (Date.now() < deadline) {
		const report = vscode.workspace.textDocuments.find(document => document.uri.scheme === 'perf')?.getText() ?? '';
		const cells = report.split('\n').map(line => line.split('|').map(cell => cell.trim()));
		const row = cells.find(line => line[1]?.toLowerCase() === id.toLowerCase());
		if (row) {
			const [load, call, finish] = row.slice(3, 6).map(Number);
			return { load, call, finish };
		}
		await wait(tickMs);
	}
	throw new Error(`The editor reports no activation of ${id}.`);
}

exports.run = async () => {
	const id = process.env.ERRAND_BENCH_EXTENSION;
	const extension = vscode.extensions.getExtension(id);
	if (!extension) {
		throw new Error(`The editor does not know ${id}.`);
	}
	await idle();
	const early = extension.isActive;
	const started = performance.now();
	await extension.activate();
	const api = performance.now() - started;
	await idle();
	const rss = process.memoryUsage().rss / 1024 / 1024;
	console.log(`bench| ${JSON.stringify({ ...(await activationTimes(id)), api, rss, early })}`);
};
