import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { placeOf } from '../../base/hostname.ts';
import { readTypedAddress } from '../../base/typedAddress.ts';
import type { GatewayDescription } from '../../contract/control.ts';
import type { FoundAnswer, FoundServer } from '../../contract/foundServers.ts';
import { OLLAMA_SLUG } from '../../contract/upstreams.ts';
import { explainError, showExplanation, showMessage } from '../../platform/notify.ts';
import type { UpstreamKeyStore } from '../model/upstreamKeyStore.ts';
import { askAddress } from './askAddress.ts';
import type { ServerAnswer } from './askServer.ts';
import { askServerKey } from './askServerKey.ts';
import type { ServerHere } from './findServers.ts';
import { manageFound, manageServer } from './manageServer.ts';
import { readOwnServers, usedServers } from './ownServers.ts';
import { type PickedModel, pickModel } from './pickModel.ts';
import { hereLabel, pickServer, type ServerChoice } from './pickServer.ts';
import { makeDefault, type Offer, requestName, type ServiceForServers, saveServer } from './saveServer.ts';
import type { AskContext, ServerDraft, StepEnd } from './serverDraft.ts';
import { ownerText, serverProblem, serviceProblem } from './serverMessages.ts';

export interface ModelServerOptions {
	context: AskContext;
	keys: UpstreamKeyStore;
	/** Looks for model servers that run on this machine. */
	findHere(signal: AbortSignal): Promise<ServerHere[]>;
	service: ServiceForServers & {
		/** Resolves with the servers that the service has found, and why it does not know the models of others. */
		servers(): Promise<Pick<GatewayDescription, 'foundServers' | 'upstreamProblems'>>;
		/** Sends the user's answer about a found server. */
		answerFound(answer: FoundAnswer): Promise<void>;
	};
	/** Asks in a modal dialog. Resolves with the chosen button. */
	askModal(message: string, detail: string, ...buttons: string[]): PromiseLike<string | undefined>;
}

/** The model that chat uses now, by the name that requests use. */
export interface AddedModel {
	name: string;
	/** The name by which the user knows its server. */
	server: string;
}

/** How long the first list waits for what runs on this machine. */
const SHORT_LOOK_MS = 300;

/** Leads from nothing to a model that answers. Resolves with undefined where the user leaves. */
export async function addModelServer(options: ModelServerOptions): Promise<AddedModel | undefined> {
	return new ServerFlow(options).run();
}

/** A model of a server that the service reaches by the name `slug`. */
interface Settled {
	slug: string;
	label: string;
	url: string;
	model: string;
}

/** Says why the service does not offer a model that the editor has just seen. */
function notOfferedText({ upstreamProblems }: Offer, { slug, url, model }: Settled): string {
	const problem = upstreamProblems.find(candidate => candidate.slug === slug);
	if (problem === undefined) {
		return vscode.l10n.t(
			'The local service does not offer {0} of {1} for chat. It may be a model of another kind; choose another one.',
			model,
			placeOf(url),
		);
	}
	return vscode.l10n.t(
		'The editor reaches {0}, but the local service does not: {1}',
		placeOf(url),
		serviceProblem(problem, url),
	);
}

class ServerFlow {
	private readonly options: ModelServerOptions;
	/** What the latest actions on servers have led to, by their names. */
	private readonly results = new Map<string, string>();
	private here: readonly ServerHere[] | undefined;

	constructor(options: ModelServerOptions) {
		this.options = options;
	}

	async run(): Promise<AddedModel | undefined> {
		const leaving = new AbortController();
		try {
			for (let active: string | undefined; ; ) {
				const choice = await this.choose(active, leaving.signal);
				if (choice === undefined) {
					return undefined;
				}
				active = choice.kind === 'own' ? choice.own.slug : choice.kind === 'found' ? choice.found.slug : undefined;
				const end = await this.follow(choice).catch(error => {
					void showExplanation(explainError(error, vscode.l10n.t('The local service')));
					return 'back' as const;
				});
				if (end !== 'back') {
					return end;
				}
			}
		} finally {
			leaving.abort();
		}
	}

	private async choose(active: string | undefined, signal: AbortSignal): Promise<ServerChoice | undefined> {
		const { keys, service, context, findHere } = this.options;
		// Without the service, servers can be added all the same.
		const none = { foundServers: [], upstreamProblems: [] };
		const [own, { foundServers, upstreamProblems }] = await Promise.all([
			readOwnServers(keys),
			service.servers().catch(() => none),
		]);
		const looking = this.here === undefined ? findHere(signal).catch(() => []) : Promise.resolve(this.here);
		const known = looking.then(here => {
			this.here = here;
		});
		// Most answers come at once, and a list that is drawn once does not change under the user's hand.
		await Promise.race([known, context.clock.sleep(SHORT_LOOK_MS, signal)]);
		const problems = upstreamProblems.flatMap((problem): [string, string][] => {
			const server = own.find(({ slug }) => slug === problem.slug);
			return server ? [[problem.slug, serviceProblem(problem, server.setting.url)]] : [];
		});
		const results = new Map([...problems, ...this.results]);
		return pickServer({ own, found: usedServers(foundServers), here: this.here, results }, looking, active);
	}

	private async follow(choice: ServerChoice): Promise<AddedModel | StepEnd> {
		switch (choice.kind) {
			case 'look':
				this.here = undefined;
				return 'back';
			case 'here':
				return this.useHere(choice.here);
			case 'service': {
				const { service } = choice;
				if (service.isOwnAddress) {
					return this.connectToAddress(service.url);
				}
				return this.connect({ label: service.label, url: service.url, service });
			}
			case 'address':
				return this.connectToAddress(choice.text);
			case 'own': {
				const { own } = choice;
				const end = await manageServer(own, this.actions(own.slug));
				return end === 'model' ? this.connectToOwn(own.slug) : end;
			}
			case 'found': {
				const end = await manageFound(choice.found, this.actions(choice.found.slug));
				return end === 'model' ? this.modelOfFound(choice.found) : end;
			}
		}
	}

	private actions(slug: string): Parameters<typeof manageServer>[1] {
		const { context, keys, service, askModal } = this.options;
		return { context, keys, service, askModal, report: text => void this.results.set(slug, text) };
	}

	/** Every user of this machine can listen at these ports, so another one than the user is asked about. */
	private async useHere(here: ServerHere): Promise<AddedModel | StepEnd> {
		const { server, owner } = here;
		const label = hereLabel(here);
		if (owner.kind === 'other') {
			const use = vscode.l10n.t('Use It');
			const question = vscode.l10n.t('Use {0} at {1}?', label, placeOf(server.url));
			if ((await this.options.askModal(question, ownerText(owner), use)) !== use) {
				return 'back';
			}
		}
		const known = here.models && { url: server.url, models: here.models };
		if (server.slug !== OLLAMA_SLUG) {
			const draft = here.isNamed ? { label: server.label, url: server.url } : this.draftAt(server.url);
			return this.connect(draft, known, here.isNamed ? server.slug : undefined);
		}
		const picked = await pickModel(this.options.context, { label, url: server.url }, known);
		if (picked === undefined || typeof picked === 'string') {
			return picked === undefined ? undefined : 'back';
		}
		await this.options.service.answerFound({ url: server.url, user: owner.user, use: true });
		return this.settle({ slug: server.slug, label, url: server.url, model: picked.model });
	}

	private async modelOfFound({ slug, label, url }: FoundServer): Promise<AddedModel | StepEnd> {
		const picked = await pickModel(this.options.context, { label, url }, undefined);
		return picked === undefined || typeof picked === 'string'
			? picked && 'back'
			: this.settle({ slug, label, url, model: picked.model });
	}

	private async connectToAddress(text: string): Promise<AddedModel | StepEnd> {
		const { url, key } = readTypedAddress(text);
		let value = url === undefined && key === undefined ? '' : text;
		for (;;) {
			const chosen = await askAddress(this.options.context, {
				title: vscode.l10n.t('Address of the Model Server'),
				value,
			});
			if (chosen === undefined || chosen === 'back') {
				return chosen;
			}
			value = chosen.url;
			const draft = { ...this.draftAt(chosen.url), ...defined({ key: chosen.key }) };
			const end =
				chosen.model === undefined
					? await this.connect(draft)
					: await this.add(draft, { model: chosen.model, url: chosen.url, isWritten: false });
			if (end !== 'back') {
				return end;
			}
		}
	}

	private draftAt(url: string): ServerDraft {
		return { label: placeOf(url), url };
	}

	private async connectToOwn(slug: string): Promise<AddedModel | StepEnd> {
		const { keys } = this.options;
		const own = (await readOwnServers(keys)).find(server => server.slug === slug);
		if (own === undefined) {
			return 'back';
		}
		const key = await keys.usable(slug, own.setting.url);
		const draft = { slug, label: own.label, url: own.setting.url, ...defined({ key }) };
		return this.connect(draft);
	}

	/** Asks for the key where the server wants one, then for the model. `wanted` is the name for a new entry. */
	private async connect(draft: ServerDraft, known?: ServerAnswer, wanted?: string): Promise<AddedModel | StepEnd> {
		let current = draft;
		let answer = known;
		let wantsKey = draft.service !== undefined && draft.key === undefined;
		for (;;) {
			if (wantsKey) {
				const entered = await this.askKey(current, answer);
				if (entered === undefined || entered === 'back') {
					return entered;
				}
				current = { ...current, key: entered.key };
				answer = entered.answer;
				wantsKey = false;
			}
			const picked = await pickModel(this.options.context, current, answer);
			if (picked === undefined || picked === 'back') {
				return picked;
			}
			if (picked === 'key') {
				wantsKey = true;
			} else if (picked === 'address') {
				const { context } = this.options;
				const title = vscode.l10n.t('Address of {0}', current.label);
				const chosen = await askAddress(context, { title, value: current.url });
				if (chosen === undefined) {
					return undefined;
				}
				if (chosen !== 'back') {
					// A key goes to no other origin than the one that it was entered for.
					const { key, ...others } = current;
					const isSameOrigin = new URL(chosen.url).origin === new URL(current.url).origin;
					const kept = chosen.key ?? (isSameOrigin ? key : undefined);
					const label = current.label === placeOf(current.url) ? placeOf(chosen.url) : current.label;
					current = { ...others, label, url: chosen.url, ...defined({ key: kept }) };
					answer = undefined;
				}
			} else {
				return this.add(current, picked, wanted);
			}
		}
	}

	private async askKey(draft: ServerDraft, answer: ServerAnswer | undefined) {
		const isRefused = answer !== undefined && 'error' in answer;
		const problem = isRefused ? serverProblem(answer.error, answer.url, draft.key !== undefined) : undefined;
		return askServerKey(this.options.context, draft, problem?.cause ?? '');
	}

	private async add(draft: ServerDraft, picked: PickedModel, wanted?: string): Promise<AddedModel | StepEnd> {
		const { slug, url } = await saveServer(this.options.keys, draft, picked, wanted);
		return this.settle({ slug, label: draft.label, url, model: picked.model });
	}

	/** Makes the model the default once the local service offers it, and says otherwise that it does not. */
	private async settle(settled: Settled): Promise<AddedModel | StepEnd> {
		const { slug, label, url, model } = settled;
		const offer: Offer = await vscode.window.withProgress(
			{ location: vscode.ProgressLocation.Window, title: vscode.l10n.t('The local service asks {0}…', placeOf(url)) },
			() => this.options.service.offer(),
		);
		const name = requestName(offer, slug, model);
		if (name === undefined) {
			const text = notOfferedText(offer, settled);
			this.results.set(slug, text);
			void showMessage('warning', text);
			return 'back';
		}
		await makeDefault(name);
		return { name, server: label };
	}
}
