// The one way to a service: its address and its key. The answer there decides what the service becomes.
import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { placeOf } from '../base/hostname.ts';
import { ownerOfPort } from '../base/portOwner.ts';
import { OLLAMA_SLUG } from '../contract/upstreams.ts';
import { usualServers } from '../contract/usualServers.ts';
import { askModal, explainError, showExplanation, showMessage } from '../platform/notify.ts';
import { withProgress } from '../platform/progressNotice.ts';
import { addConnection } from './addConnection.ts';
import type { AddedModel } from './api.ts';
import { askAddress } from './hosts/askAddress.ts';
import { askHost, findForm, findParts, type HostAnswer } from './hosts/askHost.ts';
import { findServers, type ServerHere } from './hosts/findServers.ts';
import { hostProblem, ownerText, upstreamProblemText } from './hosts/messages.ts';
import { askKey, type KeyQuestion } from './keys/askKey.ts';
import type { KeyUse } from './keys/keyUse.ts';
import { problemText } from './keys/messages.ts';
import { keyProblem, serverKey } from './model/keyFormat.ts';
import { inferenceAddresses, isConnectionAddress, speaksContract } from './model/newConnection.ts';
import { type ServiceDraft, type StepEnd, withAddress } from './model/serviceDraft.ts';
import { readTypedAddress } from './model/typedAddress.ts';
import { readOwnServers, usedServers } from './ownServers.ts';
import { type PickedModel, pickModel } from './pickModel.ts';
import { hereLabel, pickService, type ServiceChoice } from './pickService.ts';
import { makeDefault, requestName, saveServer } from './saveServer.ts';
import type { Offer, Services } from './services.ts';

/** The time for which the first list waits for servers on this machine. */
const SHORT_LOOK_MS = 300;

/** The time for which a step waits for the parts that identify a service of the contract. */
const PARTS_MS = 2_000;

/**
 * Takes the user from nothing to a model that answers. `slug` names an existing model server, to add another model of
 * it. `findHere` looks for model servers that run on this machine. Resolves with undefined if the user dismisses it, or
 * adds a connection without switching to it.
 */
export async function addService(
	services: Services,
	slug?: unknown,
	findHere = (signal: AbortSignal) =>
		findServers(usualServers(process.env), { ...services.context, signal, ownerOf: ownerOfPort }),
): Promise<AddedModel | undefined> {
	const leaving = new AbortController();
	try {
		const flow = new ServiceFlow(services, findHere, leaving.signal);
		const end = typeof slug === 'string' ? await flow.chooseModel(slug) : await flow.run();
		return end === 'back' ? undefined : end;
	} finally {
		leaving.abort();
	}
}

/** A model of a server that the local service reaches by the name `slug`. */
interface Settled {
	slug: string;
	label: string;
	url: string;
	model: string;
}

/** Returns why the local service does not offer a model that the editor has just seen. */
function notOfferedText({ upstreamProblems }: Offer, { slug, url, model }: Settled): string {
	const problem = upstreamProblems.find(candidate => candidate.slug === slug);
	if (problem === undefined) {
		return vscode.l10n.t(
			'The local service doesn’t offer {0} of {1} for chat. It may be another kind of model. Select a different one.',
			model,
			placeOf(url),
		);
	}
	return vscode.l10n.t(
		'The editor can reach {0}, but the local service can’t: {1}',
		placeOf(url),
		upstreamProblemText(problem, url),
	);
}

type End = AddedModel | StepEnd;

class ServiceFlow {
	private readonly services: Services;
	private readonly findHere: (signal: AbortSignal) => Promise<ServerHere[]>;
	private readonly signal: AbortSignal;
	private here: readonly ServerHere[] | undefined;

	constructor(services: Services, findHere: ServiceFlow['findHere'], signal: AbortSignal) {
		this.services = services;
		this.findHere = findHere;
		this.signal = signal;
	}

	async run(): Promise<End> {
		for (;;) {
			const choice = await this.choose();
			if (choice === undefined) {
				return undefined;
			}
			const end = await this.follow(choice).catch(error => {
				void showExplanation(explainError(error, vscode.l10n.t('The local service')));
				return 'back' as const;
			});
			if (end !== 'back') {
				return end;
			}
		}
	}

	async chooseModel(slug: string): Promise<End> {
		const { store, local } = this.services;
		const own = (await readOwnServers(store)).find(server => server.slug === slug);
		if (own !== undefined) {
			const { label, setting } = own;
			const { key } = await store.usable(serverKey(slug, setting.url));
			return this.connect({ slug, label, url: setting.url, ...defined({ form: setting.kind, key }) });
		}
		const found = local.described().foundServers.find(server => server.slug === slug);
		return found === undefined ? this.run() : this.modelOfFound(found);
	}

	private async choose(): Promise<ServiceChoice | undefined> {
		const { store, local, context } = this.services;
		const own = await readOwnServers(store);
		const looking = this.here === undefined ? this.findHere(this.signal).catch(() => []) : Promise.resolve(this.here);
		const known = looking.then(here => {
			this.here = here;
		});
		// Most answers come at once, and a list that is drawn only once does not change under the user's hand.
		await Promise.race([known, context.clock.sleep(SHORT_LOOK_MS, this.signal)]);
		return pickService({ own, found: usedServers(local.described()), here: this.here }, looking);
	}

	private async follow(choice: ServiceChoice): Promise<End> {
		switch (choice.kind) {
			case 'look':
				this.here = undefined;
				return 'back';
			case 'here':
				return this.useHere(choice.here);
			case 'service': {
				const { service } = choice;
				return service.isOwnAddress
					? this.connectToAddress(service.url)
					: this.connect({ label: service.label, url: service.url, service });
			}
			case 'address':
				return this.connectToAddress(choice.text);
		}
	}

	/** Every user of this machine can listen at these ports, so a server of another user needs a confirmation. */
	private async useHere(here: ServerHere): Promise<End> {
		const { server, owner } = here;
		const label = hereLabel(here);
		if (owner.kind === 'other') {
			const use = vscode.l10n.t('Use It');
			const question = vscode.l10n.t('Use {0} at {1}?', label, placeOf(server.url));
			if ((await askModal(question, ownerText(owner), use)) !== use) {
				return 'back';
			}
		}
		const known: HostAnswer | undefined = here.models && { url: server.url, state: 'fits', models: here.models };
		if (server.slug !== OLLAMA_SLUG) {
			const draft = here.isNamed
				? { label: server.label, url: server.url, wantedSlug: server.slug }
				: { label: placeOf(server.url), url: server.url };
			return this.connect(draft, known);
		}
		const found = { slug: server.slug, label, url: server.url };
		return this.modelOfFound(found, known, () =>
			this.services.local.answerFoundServer({ url: server.url, user: owner.user, use: true }),
		);
	}

	/** Lets the user choose a model of a server on this machine, which has no key. `agree` makes the service use it. */
	private async modelOfFound(
		{ slug, label, url }: Omit<Settled, 'model'>,
		known?: HostAnswer,
		agree?: () => Promise<void>,
	): Promise<End> {
		const picked = await pickModel(this.services.context, { label, url }, known);
		if (typeof picked !== 'object' || 'next' in picked) {
			return picked && 'back';
		}
		await agree?.();
		return this.settle({ slug, label, url, model: picked.model });
	}

	private async connectToAddress(text: string): Promise<End> {
		const { url, key } = readTypedAddress(text);
		let value = url === undefined && key === undefined ? '' : text;
		for (;;) {
			const chosen = await this.askAddress(vscode.l10n.t('Address of the Service'), value);
			if (typeof chosen !== 'object') {
				return chosen;
			}
			value = chosen.url;
			const end = await this.connect(this.draftAt(chosen.url, chosen.key), chosen.answer, chosen.model);
			if (end !== 'back') {
				return end;
			}
		}
	}

	private async askAddress(title: string, value: string) {
		const placeholder = vscode.l10n.t('Such as https://api.example.com, or http://192.168.1.20:8000/v1');
		const chosen = await askAddress({ kind: 'service', title, placeholder, value }, this.services.context);
		return typeof chosen === 'object' ? { ...chosen, url: chosen.url ?? value } : chosen;
	}

	private draftAt(url: string, key: string | undefined): ServiceDraft {
		const { context } = this.services;
		const [bare = url] = inferenceAddresses(url);
		const parts = isConnectionAddress(bare)
			? findParts(bare, { ...context, signal: this.signal }).catch(() => ({}))
			: undefined;
		return { label: placeOf(url), url, ...defined({ key, parts }) };
	}

	/**
	 * Asks for the key if the service wants one, then for the model, or for the rest of a connection. `known` is the
	 * service's answer without a key.
	 */
	private async connect(draft: ServiceDraft, known?: HostAnswer, model?: string): Promise<End> {
		let current = draft;
		let answer = draft.key !== undefined && known?.state !== 'fits' ? undefined : known;
		let question: KeyQuestion | undefined =
			draft.key === undefined && (draft.service !== undefined || known?.state === 'wants-key') ? {} : undefined;
		let isAsked = false;
		/** True once the user has asked for a connection, whatever the answer. */
		let isChosen = false;
		for (;;) {
			if (answer === undefined && current.key !== undefined && current.parts !== undefined) {
				answer = await this.ask(current);
			}
			const isContract = isChosen || (await this.isOfContract(current, answer));
			if (question || (isContract && current.key === undefined && !isAsked)) {
				const isOptional = isContract || (answer?.state === 'wants-key' && answer.noList === true);
				const withoutKey = isOptional && answer?.state !== 'failed' ? answer : undefined;
				const { key: value } = current;
				const asked = { ...question, withoutKey, ...defined({ value }) };
				const entered = await askKey(keyUseOf(current, isContract), this.services.context, asked);
				if (typeof entered !== 'object') {
					return entered;
				}
				const { key, ...others } = current;
				current = { ...others, ...defined({ key: entered.key || undefined }) };
				answer = entered.answer;
				[question, isAsked] = [undefined, true];
				continue;
			}
			if (!isContract && model !== undefined && answer?.state === 'fits') {
				return this.add(current, { model, url: answer.url });
			}
			const picked = isContract
				? { next: 'connection' as const, answer }
				: await pickModel(this.services.context, current, answer);
			if (picked === undefined || picked === 'back') {
				return picked;
			}
			if (!('next' in picked)) {
				return this.add(current, picked);
			}
			answer = picked.answer;
			if (picked.next === 'key') {
				question = { reason: causeOf(answer, current) };
			} else if (picked.next === 'address') {
				const chosen = await this.askAddress(vscode.l10n.t('Address of {0}', current.label), current.url);
				if (chosen === undefined) {
					return undefined;
				}
				if (chosen !== 'back') {
					const parts = current.parts && this.draftAt(chosen.url, undefined).parts;
					current = { ...withAddress(chosen.url, chosen.key, current), ...defined({ parts }) };
					answer = current.key === undefined ? chosen.answer : undefined;
				}
			} else {
				const problem = current.key === undefined ? undefined : keyProblem('inference', current.key, undefined);
				if (problem === undefined) {
					return this.addAsConnection(current, answer);
				}
				// A key that a model server accepts may not be one of the contract's.
				question = { reason: problemText(problem) };
				isChosen = true;
			}
		}
	}

	private async ask({ url, form, key }: ServiceDraft): Promise<HostAnswer> {
		const { context } = this.services;
		return contacting(url, () => askHost({ kind: 'service', url, form, key }, { ...context, signal: this.signal }));
	}

	private async isOfContract({ url, parts }: ServiceDraft, answer: HostAnswer | undefined): Promise<boolean> {
		if (parts === undefined || answer === undefined || answer.state === 'failed') {
			return false;
		}
		const { clock } = this.services.context;
		const found = await Promise.race([parts, clock.sleep(PARTS_MS, this.signal).then(() => ({}))]);
		return speaksContract(url, (answer.state === 'fits' && answer.models) || [], found);
	}

	private async addAsConnection(draft: ServiceDraft, answer: HostAnswer | undefined): Promise<End> {
		const used = await addConnection({ draft, answer }, this.services);
		if (typeof used !== 'object') {
			return used;
		}
		const { name, label = name, models } = used;
		const model = models.find(({ kinds }) => kinds.includes('chat'));
		return model && { name: model.id, server: label };
	}

	private async add(draft: ServiceDraft, picked: PickedModel): Promise<End> {
		// An entry that is there already, and a well-known service, says itself how it is asked.
		const isKnown = draft.slug !== undefined || draft.wantedSlug !== undefined || draft.service !== undefined;
		const { context, store } = this.services;
		const { key } = draft;
		const form = isKnown
			? draft.form
			: await contacting(picked.url, () => findForm({ url: picked.url, key }, { ...context, signal: this.signal }));
		const { slug, url } = await saveServer(store, { ...draft, ...defined({ form }) }, picked);
		return this.settle({ slug, label: draft.label, url, model: picked.model });
	}

	/** Makes the model the default once the local service offers it, and otherwise tells the user that it does not. */
	private async settle(settled: Settled): Promise<End> {
		const { slug, label, url, model } = settled;
		const title = vscode.l10n.t('The local service is contacting {0}…', placeOf(url));
		const offer = await withProgress(title, () => this.services.local.offer());
		const name = requestName(offer, slug, model);
		if (name === undefined) {
			void showMessage('warning', notOfferedText(offer, settled));
			return 'back';
		}
		await makeDefault(name);
		return { name, server: label };
	}
}

function contacting<T>(url: string, ask: () => Promise<T>): Promise<T> {
	return withProgress(vscode.l10n.t('Contacting {0}…', placeOf(url)), ask);
}

/** A service of the contract has keys of their own form. */
function keyUseOf({ label, url, form, service }: ServiceDraft, isContract: boolean): KeyUse {
	const slot = { secret: '', origins: [new URL(url).origin] };
	const { keyPage: page, openList } = service ?? {};
	const kind = isContract ? 'inference' : 'server';
	return { kind, name: '', service: label, slot, host: { kind: 'service', url, form }, page, openList };
}

/** Returns the reason for which another key may help; empty if there is none. */
function causeOf(answer: HostAnswer | undefined, { key }: ServiceDraft): string {
	const isFailed = answer !== undefined && (answer.state === 'failed' || answer.state === 'wants-key');
	return isFailed && answer.error !== undefined
		? hostProblem(answer.error, answer.url, 'service', key !== undefined).cause
		: '';
}
