import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { LogFields } from '../../src/base/redact.ts';
import { requestRules } from '../../src/chat/settings/requestRules.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { type Connection, connectionSchema } from '../../src/contract/connection.ts';
import { LanguageModelProvider } from '../../src/languageModels/languageModelProvider.ts';
import { ModelList, type ModelListParts } from '../../src/languageModels/modelList.ts';
import type { OfferedModel } from '../../src/languageModels/offeredModels.ts';
import { UseLedger } from '../../src/languageModels/useLedger.ts';
import { editorFetch } from '../../src/platform/editorFetch.ts';
import type { SettingId } from '../../src/platform/ids.ts';
import { type Answer, FaultServer, sendEvents, sseEvent } from '../support/faultServer.ts';

export const KEY = 'sk-quillon-4711';
export const SECRET_PROMPT = 'the colour of the lighthouse';
export const DONE = 'data: [DONE]\n\n';
/** Returns one event of a streamed reply. */
export const replyChunk = (delta: object, finish: string | null = null) =>
	sseEvent({ model: 'quill', provider: 'north', choices: [{ index: 0, delta, finish_reason: finish }] });
/** Answers with a reply in these pieces, of a million tokens each way. */
export const says =
	(...texts: string[]): Answer =>
	response =>
		sendEvents(
			response,
			...texts.map(content => replyChunk({ content })),
			replyChunk({}, 'stop'),
			sseEvent({ choices: [], usage: { prompt_tokens: 1_000_000, completion_tokens: 1_000_000 } }),
			DONE,
		);

/** Writes a setting of the user; undefined removes it. */
export const writeSetting = (id: SettingId, value: unknown) =>
	vscode.workspace.getConfiguration().update(id, value, vscode.ConfigurationTarget.Global);

export type Part = vscode.LanguageModelResponsePart;

/** The text of a reply's parts. */
export const textOf = (parts: readonly Part[]) =>
	parts.map(part => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');

/** The message of an error that must be there. */
export const messageOf = (error: unknown) =>
	error instanceof Error ? error.message : assert.fail('nothing was wrong');

/** What the window that offers the models knows, and what it has done. */
interface State {
	keyState: Awaited<ReturnType<ModelListParts['keys']['state']>>;
	/** How often the user was asked for a key. */
	asked: number;
	/** How often the service was asked what it has. */
	described: number;
	isStopped: boolean;
	/** The messages that the user saw. */
	shown: string[];
	/** The button that is chosen in a question. */
	answer: string | undefined;
	logged: { message: string; fields: LogFields | undefined }[];
	/** How often the provider said that its models have changed. */
	changes: number;
}

const freshState = (): State => ({
	keyState: 'set',
	asked: 0,
	described: 0,
	isStopped: false,
	shown: [],
	answer: undefined,
	logged: [],
	changes: 0,
});

/** The models that the editor gets from a service that a test answers for. Others may use them without a question. */
export function useLanguageModels() {
	const { showErrorMessage, showWarningMessage } = vscode.window;
	let folder: string;
	let writing: Promise<void>[];
	const models = {
		...freshState(),
		server: undefined as unknown as FaultServer,
		connection: undefined as unknown as Connection,
		ledger: undefined as unknown as UseLedger,
		provider: undefined as unknown as LanguageModelProvider,
		list,
		quill,
		send,
		/** Sends a request that has a secret in it. */
		ask: () => send([vscode.LanguageModelChatMessage.User(SECRET_PROMPT)]),
		/** The body of a request that the service has received. */
		bodyOf: (index: number) => JSON.parse(models.server.received[index]?.body ?? ''),
	};

	beforeEach(async () => {
		await writeSetting('errand.languageModels.access', 'allow');
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-language-models-'));
		models.server = await FaultServer.start(says('Blue', '.'));
		models.connection = {
			name: 'quillon',
			...connectionSchema.parse({
				label: 'Quillon',
				apiUrl: models.server.origin,
				service: 'quillon',
				models: [
					{ id: 'quill', label: 'Quill', contextLength: 32_000, maxOutputTokens: 2_000, images: true },
					{ id: 'feather', tools: false },
					{ id: 'brush', kinds: ['image'] },
				],
				providers: [
					{
						slug: 'north',
						label: 'North',
						prices: { input: 1, output: 2 },
						dataPolicy: 'stores no data',
						models: ['quill'],
					},
					{ slug: 'south', label: 'South', dataPolicy: 'stores data', models: ['quill'] },
				],
			}),
		};
		Object.assign(models, freshState());
		const show = async (message: string, ...rest: unknown[]) => {
			models.shown.push([message, (rest[0] as { detail?: string } | undefined)?.detail ?? ''].join(' '));
			return models.answer;
		};
		Object.assign(vscode.window, { showErrorMessage: show, showWarningMessage: show });
		models.ledger = new UseLedger(path.join(folder, 'languageModels'));
		writing = [];
		const add = models.ledger.add.bind(models.ledger);
		models.ledger.add = (...reply) => {
			const written = add(...reply);
			writing.push(written);
			return written;
		};
		const client = () =>
			createClient({
				connection: models.connection,
				transport: createFetchTransport(editorFetch),
				keys: async () => KEY,
			});
		const list = new ModelList({
			connection: async () => models.connection,
			describe: async () => {
				models.described++;
				return models.connection;
			},
			keys: {
				state: async () => models.keyState,
				ensure: async () => {
					models.asked++;
					return models.keyState === 'set';
				},
			},
			isStopped: () => models.isStopped,
		});
		models.provider = new LanguageModelProvider(list, {
			active: async () => ({
				client: client(),
				connection: models.connection,
				label: models.connection.label ?? models.connection.name,
			}),
			rules: async () => requestRules(async () => models.connection),
			logger: { log: (_level, message, fields) => models.logged.push({ message, fields }) },
			ledger: models.ledger,
			changed: () => models.changes++,
		});
	});

	afterEach(async () => {
		Object.assign(vscode.window, { showErrorMessage, showWarningMessage });
		await models.server.stop();
		// A reply is counted after the request has returned, so its line may still be on its way.
		await Promise.allSettled(writing);
		rmSync(folder, { recursive: true, force: true });
		for (const id of ['errand.languageModels.access', 'errand.chat.routing', 'errand.chat.parameters'] as const) {
			await writeSetting(id, undefined);
		}
	});

	function list(silent = true) {
		return models.provider.provideLanguageModelChatInformation({ silent });
	}

	async function quill(): Promise<OfferedModel> {
		return (await list()).find(({ model }) => model === 'quill') ?? assert.fail();
	}

	async function send(
		messages: vscode.LanguageModelChatMessage[],
		options: Partial<vscode.ProvideLanguageModelChatResponseOptions> = {},
		onPart: (part: Part) => void = () => {},
		token = new vscode.CancellationTokenSource().token,
	): Promise<{ parts: Part[]; error: unknown }> {
		const model = await quill();
		const parts: Part[] = [];
		const report = (part: Part) => {
			parts.push(part);
			onPart(part);
		};
		const error = await models.provider
			.provideLanguageModelChatResponse(
				model,
				messages,
				{ toolMode: vscode.LanguageModelChatToolMode.Auto, ...options },
				{ report },
				token,
			)
			.then(
				() => undefined,
				(reason: unknown) => reason,
			);
		return { parts, error };
	}

	return models;
}
