// A foreign extension, which uses the editor's API as a test tells it to.
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';

/** The orders for the extension; its code below defines the result of each. */
export type ProbeOrder =
	| { do: 'list' }
	| { do: 'ask'; text: string; image?: string; tools?: boolean; mustCall?: boolean }
	| { do: 'cancel'; text: string }
	| { do: 'command'; command: string; arguments: unknown[] }
	| { do: 'change'; settings: Record<string, unknown> }
	| { do: 'reset' }
	| { do: 'debug' };

const MANIFEST = {
	name: 'probe',
	displayName: 'Probe',
	publisher: 'others',
	version: '1.0.0',
	engines: { vscode: '^1.109.0' },
	main: './extension.js',
	activationEvents: ['onStartupFinished'],
	capabilities: { untrustedWorkspaces: { supported: true } },
	contributes: {
		chatParticipants: [{ id: 'others.probe', name: 'probe', fullName: 'Probe', description: 'Asks the chosen model' }],
	},
};

/** Plain JavaScript for CommonJS modules, because it is written to disk unchanged. */
const CODE = `
const vscode = require('vscode');
const { User } = vscode.LanguageModelChatMessage;

const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: { at: { type: 'string' } } } }];

function told(part) {
	if (part instanceof vscode.LanguageModelTextPart) {
		return { text: part.value };
	}
	return part instanceof vscode.LanguageModelToolCallPart ? { call: part.name, input: part.input } : { other: true };
}

async function model() {
	const [first] = await vscode.lm.selectChatModels({ vendor: 'errand' });
	return first;
}

async function ask({ text, image, tools: offers, mustCall }) {
	const parts = [new vscode.LanguageModelTextPart(text)];
	if (image) {
		parts.push(vscode.LanguageModelDataPart.image(Buffer.from(image, 'base64'), 'image/png'));
	}
	const options = offers ? { tools, ...(mustCall && { toolMode: vscode.LanguageModelChatToolMode.Required }) } : {};
	const chosen = await model();
	const { stream } = await chosen.sendRequest([User(parts)], options);
	const answer = [];
	for await (const part of stream) {
		answer.push(told(part));
	}
	return answer;
}

async function cancel({ text }) {
	const source = new vscode.CancellationTokenSource();
	const chosen = await model();
	const { stream } = await chosen.sendRequest([User(text)], {}, source.token);
	let count = 0;
	try {
		for await (const part of stream) {
			count++;
			source.cancel();
		}
	} catch (error) {
		return { count, error: error.name };
	}
	return { count };
}

async function carryOut(order) {
	switch (order.do) {
		case 'list':
			return (await vscode.lm.selectChatModels({ vendor: 'errand' })).map(({ id, name, family, maxInputTokens }) => ({ id, name, family, maxInputTokens }));
		case 'ask':
			return ask(order);
		case 'cancel':
			return cancel(order);
		case 'command':
			return run(order);
		case 'change':
			return change(order.settings);
		case 'reset':
			return reset();
		case 'debug':
			return debuggerUrl();
	}
}

/** Returns the URL of the extension host's debugger, which is started if nobody has done so. */
function debuggerUrl() {
	const inspector = require('inspector');
	if (inspector.url() === undefined) {
		inspector.open(0);
	}
	return inspector.url();
}

async function run({ command, arguments: values }) {
	// The commands of an extension are there once it is active.
	await vscode.extensions.getExtension('errand.errand')?.activate();
	if (!(await vscode.commands.getCommands()).includes(command)) {
		throw new Error('There is no command ' + command + '.');
	}
	// It may wait for an answer of the user, and what it gives back may be anything.
	void vscode.commands.executeCommand(command, ...values);
	return true;
}

/** Changes settings of the user. Those that are null become what they are by default. */
async function change(settings) {
	for (const [id, value] of Object.entries(settings)) {
		await vscode.workspace.getConfiguration().update(id, value ?? undefined, vscode.ConfigurationTarget.Global);
	}
	return true;
}

/** Leaves nothing open that a fresh window would not have open. */
async function reset() {
	const run = command => vscode.commands.executeCommand(command);
	await run('workbench.action.closeQuickOpen');
	for (const document of vscode.workspace.textDocuments.filter(document => document.isDirty)) {
		await vscode.window.showTextDocument(document);
		await run('workbench.action.revertAndCloseActiveEditor');
	}
	await run('workbench.action.closeAllEditors');
	for (const terminal of vscode.window.terminals) {
		terminal.dispose();
	}
	await run('notifications.clearAll');
	await run('workbench.action.closePanel');
	await run('workbench.action.closeAuxiliaryBar');
	await run('workbench.view.explorer');
	return true;
}

async function follow(address) {
	let result;
	for (;;) {
		const body = JSON.stringify({ host: process.pid, ...result });
		const response = await fetch(address, { method: 'POST', body }).catch(() => undefined);
		if (response === undefined) {
			return;
		}
		result = await carryOut(await response.json()).then(
			value => ({ value }),
			error => ({ error: { code: error.code, name: error.name, message: error.message } }),
		);
	}
}

exports.activate = context => {
	context.subscriptions.push(
		vscode.chat.createChatParticipant('others.probe', async (request, _context, response, token) => {
			const messages = [User('From the participant: ' + request.prompt)];
			const { text } = await request.model.sendRequest(messages, {}, token);
			for await (const piece of text) {
				response.markdown(piece);
			}
		}),
	);
	// The editor calls no participant before the activation has ended.
	void follow(process.env.ERRAND_TEST_PROBE);
};
`;

/** The result of an order. `code` is that of the editor's errors for language models. */
export interface ProbeResult {
	value?: unknown;
	error?: { code?: string; name: string; message: string };
}

const probes = new WeakMap<Page, Probe>();

/** Returns the probe in a window, if it has one. */
export const probeOf = (page: Page): Probe | undefined => probes.get(page);

/** Gives the extension orders, one after another. */
export class Probe {
	private readonly server: Server;
	/** The response to the extension that waits for an order. */
	private waiting: ServerResponse | undefined;
	/** The process in which the extension runs. */
	private host: number | undefined;
	/** The process of a window that is gone. It may live on for a while, and waits for orders that it cannot execute. */
	private gone: number | undefined;
	private arrived = Promise.withResolvers<void>();
	private answer: PromiseWithResolvers<ProbeResult> | undefined;
	/** Settles when the last order has been executed, because the extension takes one at a time. */
	private last: Promise<unknown> = Promise.resolve();

	private constructor() {
		this.server = createServer(async (request, response) => {
			let text = '';
			for await (const piece of request.setEncoding('utf8')) {
				text += piece;
			}
			const { host, ...result } = JSON.parse(text);
			if (host === this.gone) {
				return;
			}
			this.host = host;
			this.waiting = response;
			this.arrived.resolve();
			this.answer?.resolve(result);
			this.answer = undefined;
		});
	}

	static async start(): Promise<Probe> {
		const probe = new Probe();
		probe.server.listen(0, '127.0.0.1');
		await once(probe.server, 'listening');
		return probe;
	}

	/** The environment variable with the address from which the extension gets its orders. */
	get environment(): Record<string, string> {
		return { ERRAND_TEST_PROBE: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/` };
	}

	/** Installs the extension for an editor that has not started yet. */
	install(extensionsFolder: string): void {
		const folder = path.join(extensionsFolder, 'others.probe-1.0.0');
		mkdirSync(folder, { recursive: true });
		writeFileSync(path.join(folder, 'package.json'), JSON.stringify(MANIFEST));
		writeFileSync(path.join(folder, 'extension.js'), CODE);
	}

	/** Makes this the probe of the only window of its editor. */
	attachTo(page: Page): void {
		probes.set(page, this);
	}

	/** The process of the extension host, unless that of the next window is still awaited. */
	get hostProcess(): number | undefined {
		return this.host === this.gone ? undefined : this.host;
	}

	/** From now on, orders wait for the extension in the next window. One that is being executed fails. */
	leaveWindow(): void {
		this.answer?.resolve({ error: { name: 'Gone', message: 'its window is gone' } });
		this.answer = undefined;
		this.gone = this.host;
		// An order that waits already goes on waiting.
		if (this.waiting !== undefined) {
			this.waiting = undefined;
			this.arrived = Promise.withResolvers();
		}
	}

	/** Resolves when the extension has executed the order. */
	tell(order: ProbeOrder): Promise<ProbeResult> {
		const told = this.last.then(() => this.tellNow(order));
		this.last = told;
		return told;
	}

	private async tellNow(order: ProbeOrder): Promise<ProbeResult> {
		await this.arrived.promise;
		this.arrived = Promise.withResolvers();
		this.answer = Promise.withResolvers();
		const { promise } = this.answer;
		this.waiting?.end(JSON.stringify(order));
		this.waiting = undefined;
		return promise;
	}

	/** Resolves with the extension's result, and rejects if it could not execute the order. */
	async do(order: ProbeOrder): Promise<unknown> {
		const { value, error } = await this.tell(order);
		if (error !== undefined) {
			throw new Error(`The probe could not ${JSON.stringify(order)}: ${error.message}`);
		}
		return value;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		this.server.close();
		await once(this.server, 'close');
	}
}
