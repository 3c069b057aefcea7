import * as vscode from 'vscode';
import { placeOf } from '../base/hostname.ts';
import { type Connection, connectionSchema } from '../contract/connection.ts';
import { labelsOf } from '../platform/addressMessages.ts';
import { askCheckedKey } from '../platform/keyBox.ts';
import { explainError, showExplanation, showMessage } from '../platform/notify.ts';
import { type Choice, choose, chooseSome, input, separator, shownText } from '../platform/pick.ts';
import { readSetting } from '../platform/settings.ts';
import { chooseName, ownNames, STEPS, takenText } from './chooseName.ts';
import { openConnectionSettings, use } from './connections.ts';
import { textProblem } from './edit/form.ts';
import { askHost, findParts, type HostAnswer, type HostContext } from './hosts/askHost.ts';
import { askHostAddress } from './hosts/askHostAddress.ts';
import { hostContext } from './hosts/hostContext.ts';
import { hostProblem } from './hosts/hostMessages.ts';
import { type ManageActions, manageConnection } from './manageConnection.ts';
import type { ConnectionsDependencies } from './model/connectionsDependencies.ts';
import { MAXIMUM_WRITTEN_MODELS, nameProblem, toSetting } from './model/newConnection.ts';
import { connectionNames } from './model/readConnection.ts';
import { saveConnections } from './saveConnection.ts';

export interface AddActions extends ManageActions {
	importSome(): Promise<void>;
}

/** What the user has answered so far. A pasted or typed key stays here until it goes into the secret storage. */
interface Draft {
	name: string;
	url: string;
	key: string;
	answer: HostAnswer | undefined;
	/** The addresses of other parts of the service, which are looked for while the key is typed. */
	parts: Promise<Record<string, string>>;
}

/** Asks for name, address and key of a connection. The same list leads to those that are there, and to files. */
export async function addConnection(dependencies: ConnectionsDependencies, actions: AddActions): Promise<void> {
	const value: unknown = readSetting('errand.connections');
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		const open = vscode.l10n.t('Open Settings');
		const message = vscode.l10n.t('The setting errand.connections does not have the required form. Correct it first.');
		if ((await showMessage('error', message, open)) === open) {
			await openConnectionSettings();
		}
		return;
	}
	const leaving = new AbortController();
	try {
		await new AddFlow(dependencies, actions, leaving.signal).run();
	} finally {
		leaving.abort();
	}
}

class AddFlow {
	private readonly dependencies: ConnectionsDependencies;
	private readonly actions: AddActions;
	private readonly signal: AbortSignal;

	constructor(dependencies: ConnectionsDependencies, actions: AddActions, signal: AbortSignal) {
		this.dependencies = dependencies;
		this.actions = actions;
		this.signal = signal;
	}

	async run(): Promise<void> {
		const draft: Draft = { name: '', url: '', key: '', answer: undefined, parts: Promise.resolve({}) };
		for (;;) {
			const choice = await chooseName(draft.name);
			if (choice === undefined || choice === 'none') {
				return;
			}
			if (choice === 'import') {
				return this.actions.importSome();
			}
			if (choice === 'export') {
				return this.actions.exportSome(ownNames());
			}
			if (choice.kind === 'present') {
				return manageConnection(choice.name, this.dependencies, this.actions);
			}
			draft.name = choice.name;
			if ((await this.address(draft)) !== 'back') {
				return;
			}
		}
	}

	private async address(draft: Draft): Promise<'back' | undefined> {
		const context = hostContext(this.dependencies.logger);
		for (;;) {
			const chosen = await askHostAddress(
				{
					field: 'apiUrl',
					title: vscode.l10n.t('Address of {0}', shownText(draft.name)),
					placeholder: vscode.l10n.t('The address for chat, such as https://api.example.com'),
					value: draft.url,
					position: { step: 2, totalSteps: STEPS },
					isOptional: false,
				},
				context,
			);
			if (chosen === undefined || chosen === 'back') {
				return chosen;
			}
			const url = chosen.url ?? '';
			// A key goes to no other origin than the one that it was entered for.
			const isSameOrigin = draft.url !== '' && new URL(draft.url).origin === new URL(url).origin;
			draft.key = chosen.key ?? (isSameOrigin ? draft.key : '');
			draft.url = url;
			draft.answer = chosen.answer;
			draft.parts = findParts(url, { ...context, signal: this.signal }).catch(() => ({}));
			if ((await this.key(draft, context)) !== 'back') {
				return undefined;
			}
		}
	}

	private async key(draft: Draft, context: HostContext): Promise<'back' | undefined> {
		const { keys } = this.dependencies;
		const { name, url } = draft;
		const unsaved = connectionOf(name, { apiUrl: url, service: name });
		const formProblem = await keys.formOf(unsaved, 'inference');
		for (;;) {
			let refused: string | undefined;
			const entered = await askCheckedKey<{ key: string; answer: HostAnswer }>({
				title: vscode.l10n.t('Key of {0}', shownText(name)),
				prompt: vscode.l10n.t(
					'Kept in the editor’s secret storage and sent to {0} only. Empty: without a key for now.',
					new URL(url).origin,
				),
				// What is typed must not stand behind a key that was refused.
				value: draft.answer?.state === 'failed' ? '' : draft.key,
				position: { step: 3, totalSteps: STEPS },
				formProblem: key => (key === '' ? undefined : formProblem(key)),
				async check(key, signal) {
					if (key === '' && draft.answer !== undefined && draft.answer.state !== 'failed') {
						return { accepted: { key, answer: draft.answer } };
					}
					const question = { field: 'apiUrl' as const, url, key: key === '' ? undefined : key };
					const answer = await askHost(question, { ...context, signal });
					const isRefused = answer.state === 'failed' && answer.error.code === 'unauthorised' && key !== refused;
					if (!isRefused) {
						return { accepted: { key, answer } };
					}
					refused = key;
					const { cause, step } = hostProblem(answer.error, answer.url, 'apiUrl', true);
					return { problem: `${cause} ${step}` };
				},
			});
			if (entered === undefined || entered === 'back') {
				return entered;
			}
			draft.key = entered.accepted.key;
			draft.answer = entered.accepted.answer;
			const end = await this.finish(draft, context);
			if (end !== 'key') {
				return end === 'address' ? 'back' : undefined;
			}
		}
	}

	/** Saves what has passed, and asks about anything else. */
	private async finish(draft: Draft, context: HostContext): Promise<'key' | 'address' | undefined> {
		for (;;) {
			const { answer } = draft;
			const listed = answer?.state === 'fits' ? (answer.models ?? []) : [];
			if (answer && listed.length > 0) {
				const models = await chooseModels(draft.name, listed);
				return models === undefined ? 'key' : this.save(draft, listed, models);
			}
			const next = await insist(draft);
			if (next === undefined) {
				return undefined;
			}
			if (next === 'none') {
				continue;
			}
			if (next === 'again') {
				const key = draft.key === '' ? undefined : draft.key;
				draft.answer = await vscode.window.withProgress(
					{ location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Asking {0}…', placeOf(draft.url)) },
					() => askHost({ field: 'apiUrl', url: draft.url, key }, { ...context, signal: this.signal }),
				);
			} else if (next === 'model') {
				const model = await askModel(draft.name);
				if (model !== undefined) {
					return this.save(draft, [], [model]);
				}
			} else if (next === 'save') {
				return this.save(draft, [], []);
			} else {
				return next;
			}
		}
	}

	private async save(
		{ name, url, key, answer, parts }: Draft,
		listed: Parameters<typeof toSetting>[0]['listed'],
		models: readonly string[],
	): Promise<undefined> {
		const { keys } = this.dependencies;
		const apiUrl = answer === undefined || answer.state === 'failed' ? url : answer.url;
		const entry = toSetting({ name, apiUrl, found: await parts, listed, models });
		const connection = connectionOf(name, entry);
		if (nameProblem(name, connectionNames(readSetting('errand.connections'))) !== undefined) {
			await showMessage('error', takenText(name));
			return;
		}
		try {
			// The key is there before the entry, so that the service is never asked without it.
			if (key !== '') {
				await keys.save(connection, 'inference', key);
			}
			await saveConnections({ [name]: entry });
		} catch (error) {
			if (key !== '') {
				await keys.removeAll(connection);
			}
			await showExplanation(explainError(error, name));
			return;
		}
		void this.tell(name, Object.keys(await parts).length > 0).catch(error =>
			showExplanation(explainError(error, name)),
		);
	}

	private async tell(name: string, hasParts: boolean): Promise<void> {
		const switchTo = vscode.l10n.t('Switch to It');
		const more = vscode.l10n.t('Add More…');
		const added = vscode.l10n.t('The connection “{0}” was added.', name);
		const parts = hasParts
			? ` ${vscode.l10n.t('Other parts of the service answer at the same address and were added too.')}`
			: '';
		const chosen = await showMessage('information', added + parts, switchTo, more);
		if (chosen === switchTo) {
			await use(name, this.dependencies.keys);
		} else if (chosen === more) {
			await manageConnection(name, this.dependencies, this.actions);
		}
	}
}

function connectionOf(name: string, entry: Record<string, unknown>): Connection {
	return { ...connectionSchema.parse(entry), name };
}

/**
 * Takes a short list whole. If the list is long, the user is asked, and asked again where nothing was chosen, as chat
 * needs a model. Resolves with undefined if the user dismisses the question.
 */
async function chooseModels(name: string, listed: readonly { id: string }[]): Promise<readonly string[] | undefined> {
	const ids = listed.map(({ id }) => id);
	if (ids.length <= MAXIMUM_WRITTEN_MODELS) {
		return ids;
	}
	for (let isAgain = false; ; isAgain = true) {
		const chosen = await chooseSome(
			vscode.l10n.t('Models of {0}', shownText(name)),
			isAgain
				? vscode.l10n.t('Choose at least one of the {0} models, so that chat has one', ids.length)
				: vscode.l10n.t('It works. It lists {0} models: choose those that you use', ids.length),
			ids.map(id => ({ label: shownText(id), value: id })),
		);
		if (chosen === undefined || chosen.length > 0) {
			return chosen;
		}
	}
}

async function askModel(name: string): Promise<string | undefined> {
	const title = vscode.l10n.t('Model of {0}', shownText(name));
	const prompt = vscode.l10n.t('The id of a chat model, as the service’s documents have it');
	const model = await input(title, prompt, '', text => textProblem(text.trim(), true));
	return model?.trim();
}

type Next = 'again' | 'key' | 'address' | 'model' | 'save' | 'none';

/** Says why the connection was not saved by itself, and what can be done. */
function insist({ name, url, key, answer }: Draft): Promise<Next | undefined> {
	const again = row('refresh', vscode.l10n.t('Try Again'), 'again');
	const enterKey = row('key', vscode.l10n.t('Enter the Key…'), 'key');
	const otherAddress = row('link', vscode.l10n.t('Change the Address…'), 'address');
	const model = row('edit', vscode.l10n.t('Save It with a Model That You Name…'), 'model');
	const save = row('save', vscode.l10n.t('Save It Anyway'), 'save');
	let reason: string;
	let next: Choice<Next>[];
	if (answer === undefined || answer.state === 'failed') {
		const problem = answer && hostProblem(answer.error, answer.url, 'apiUrl', key !== '');
		reason = problem ? `${problem.cause} ${problem.step}` : vscode.l10n.t('{0} was not asked.', placeOf(url));
		const isKey = answer !== undefined && (answer.error.code === 'unauthorised' || answer.error.code === 'forbidden');
		next = [...(isKey ? [enterKey, again, otherAddress] : [again, otherAddress, enterKey]), model, save];
	} else if (answer.state === 'wants-key' && key === '') {
		reason = vscode.l10n.t('{0} answers and wants a key, so nothing more could be checked.', placeOf(url));
		next = [enterKey, save, model, otherAddress];
	} else {
		reason = vscode.l10n.t(
			'{0} answers, but it lists no models, so neither a key nor a model can be checked. Name a model for chat; the first message will tell.',
			placeOf(url),
		);
		next = [model, save, enterKey, otherAddress];
	}
	const words = labelsOf(reason, 'warning').map(label => ({ label, alwaysShow: true, value: 'none' as const }));
	const rows = [...words, separator<Next>(''), ...next];
	return choose(vscode.l10n.t('Add Connection {0}', shownText(name)), rows, { active: next[0]?.value ?? 'save' });
}

function row(icon: string, label: string, value: Next): Choice<Next> {
	return { label: `$(${icon}) ${label}`, alwaysShow: true, value };
}
