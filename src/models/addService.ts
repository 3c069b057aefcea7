// The one way to a service: its address and its key. The answer there decides what the service becomes.
import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { placeOf } from '../base/hostname.ts';
import { ownerOfPort } from '../base/portOwner.ts';
import { LOCAL_CONNECTION_NAME, localConnection } from '../contract/localConnection.ts';
import { OLLAMA_SLUG } from '../contract/upstreams.ts';
import { usualServers } from '../contract/usualServers.ts';
import { askModal, explainError, showExplanation, showMessage } from '../platform/notify.ts';
import { withProgress } from '../platform/progressNotice.ts';
import { readSetting, settingHolds, writeSetting } from '../platform/settings.ts';
import { addConnection } from './addConnection.ts';
import type { AddedModel } from './api.ts';
import { askAddress } from './hosts/askAddress.ts';
import { type AskingContext, askHost, findForm, findParts, type HostAnswer } from './hosts/askHost.ts';
import { findServers, type ServerHere } from './hosts/findServers.ts';
import { hostProblem, ownerText, upstreamProblemText } from './hosts/messages.ts';
import { askKey, type KeyQuestion } from './keys/askKey.ts';
import type { KeyUse } from './keys/keyUse.ts';
import { keyProblem } from './keys/messages.ts';
import { serverKey } from './model/keyFormat.ts';
import { inferenceAddresses, isConnectionAddress, speaksContract } from './model/newConnection.ts';
import { freeSlug, mergedEntry, slugOfAddress } from './model/serverEntries.ts';
import { type ServiceDraft, type StepEnd, withAddress } from './model/serviceDraft.ts';
import { readTypedAddress } from './model/typedAddress.ts';
import { type PickedModel, pickModel } from './pickModel.ts';
import { hereLabel, pickService, type ServiceChoice } from './pickService.ts';
import { type Offer, ownServer, readOwnServers, type Services, saveEntry, usedServers } from './services.ts';

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
		findServers(usualServers(process.env), { ...services.keys.host, signal, ownerOf: ownerOfPort }),
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
	/** The parts that asking a host takes. The signal ends such requests with the flow. */
	private readonly asking: AskingContext;
	private here: readonly ServerHere[] | undefined;

	constructor(services: Services, findHere: ServiceFlow['findHere'], signal: AbortSignal) {
		this.services = services;
		this.findHere = findHere;
		this.asking = { ...services.keys.host, signal };
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
		const own = ownServer(slug);
		if (own !== undefined) {
			const { label, setting } = own;
			const { key } = await this.services.keys.store.usable(serverKey(slug, setting.url));
			return this.connect({ slug, label, url: setting.url, form: setting.kind, key });
		}
		const found = this.services.local.described().foundServers.find(server => server.slug === slug);
		return found === undefined
			? this.run()
			: this.connect({ slug, label: found.label, url: found.url, agree: async () => {} });
	}

	private async choose(): Promise<ServiceChoice | undefined> {
		const { clock, signal } = this.asking;
		const looking = this.here === undefined ? this.findHere(signal).catch(() => []) : Promise.resolve(this.here);
		const known = looking.then(here => {
			this.here = here;
		});
		// Most answers come at once, and a list that is drawn only once does not change under the user's hand.
		await Promise.race([known, clock.sleep(SHORT_LOOK_MS, signal)]);
		const found = usedServers(this.services.local.described());
		return pickService({ own: readOwnServers(), found, here: this.here }, looking);
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
		const { server, owner, isNamed, models } = here;
		const { slug, url } = server;
		const label = hereLabel(here);
		if (owner.kind === 'other') {
			const use = vscode.l10n.t('Use It');
			const question = vscode.l10n.t('Use {0} at {1}?', label, placeOf(url));
			if ((await askModal(question, ownerText(owner), use)) !== use) {
				return 'back';
			}
		}
		const known: HostAnswer | undefined = models && { url, state: 'fits', models };
		if (slug === OLLAMA_SLUG) {
			const agree = () => this.services.local.answerFoundServer({ url, user: owner.user, use: true });
			return this.connect({ slug, label, url, agree }, known);
		}
		return this.connect(isNamed ? { label: server.label, url, wantedSlug: slug } : { label: placeOf(url), url }, known);
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
			const end = await this.connect(
				{ label: placeOf(value), url: value, key: chosen.key, parts: this.partsOf(value) },
				chosen.answer,
			);
			if (end !== 'back') {
				return end;
			}
		}
	}

	private async askAddress(title: string, value: string) {
		const placeholder = vscode.l10n.t('Such as https://api.example.com, or http://192.168.1.20:8000/v1');
		const chosen = await askAddress({ kind: 'service', title, placeholder, value }, this.asking);
		return typeof chosen === 'object' ? { ...chosen, url: chosen.url ?? value } : chosen;
	}

	/** Looks for parts that only a service of the contract has, if it may be one. */
	private partsOf(url: string): ServiceDraft['parts'] {
		const [bare = url] = inferenceAddresses(url);
		return isConnectionAddress(bare) ? findParts(bare, this.asking).catch(() => ({})) : undefined;
	}

	/**
	 * Asks for the key if the service wants one, then for the model, or for the rest of a connection. `known` is the
	 * service's answer without a key.
	 */
	private async connect(start: ServiceDraft, known?: HostAnswer): Promise<End> {
		let draft = start;
		let answer = draft.key !== undefined && known?.state !== 'fits' ? undefined : known;
		let question: KeyQuestion | undefined =
			draft.key === undefined && (draft.service !== undefined || known?.state === 'wants-key') ? {} : undefined;
		let isAsked = false;
		/** True once the user has asked for a connection, whatever the answer. */
		let isChosen = false;
		for (;;) {
			if (answer === undefined && draft.key !== undefined && draft.parts !== undefined) {
				const { url, form, key } = draft;
				answer = await contacting(url, () => askHost({ kind: 'service', url, form, key }, this.asking));
			}
			const isContract = isChosen || (await this.isOfContract(draft, answer));
			if (question || (isContract && draft.key === undefined && !isAsked)) {
				const isOptional = isContract || (answer?.state === 'wants-key' && answer.noList === true);
				const withoutKey = isOptional && answer?.state !== 'failed' ? answer : undefined;
				const asked = { ...question, withoutKey, ...defined({ value: draft.key }) };
				const entered = await askKey(keyUseOf(draft, isContract), this.asking, asked);
				if (typeof entered !== 'object') {
					return entered;
				}
				draft = { ...draft, key: entered.key || undefined };
				answer = entered.answer;
				[question, isAsked] = [undefined, true];
				continue;
			}
			const picked = isContract ? { next: 'connection' as const, answer } : await pickModel(this.asking, draft, answer);
			if (picked === undefined || picked === 'back') {
				return picked;
			}
			if (!('next' in picked)) {
				return this.add(draft, picked);
			}
			answer = picked.answer;
			if (picked.next === 'key') {
				question = { reason: causeOf(answer, draft) };
			} else if (picked.next === 'address') {
				const chosen = await this.askAddress(vscode.l10n.t('Address of {0}', draft.label), draft.url);
				if (chosen === undefined) {
					return undefined;
				}
				if (chosen !== 'back') {
					const parts = draft.parts && this.partsOf(chosen.url);
					draft = { ...withAddress(chosen.url, chosen.key, draft), parts };
					answer = draft.key === undefined ? chosen.answer : undefined;
				}
			} else {
				const problem = draft.key === undefined ? undefined : keyProblem({ kind: 'inference' }, draft.key);
				if (problem === undefined) {
					return addConnection(draft, answer, this.services);
				}
				// A key that a model server accepts may not be one of the contract's.
				question = { reason: problem };
				isChosen = true;
			}
		}
	}

	private async isOfContract({ url, parts }: ServiceDraft, answer: HostAnswer | undefined): Promise<boolean> {
		if (parts === undefined || answer === undefined || answer.state === 'failed') {
			return false;
		}
		const { clock, signal } = this.asking;
		const found = await Promise.race([parts, clock.sleep(PARTS_MS, signal).then(() => ({}))]);
		return speaksContract(url, (answer.state === 'fits' && answer.models) || [], found);
	}

	private async add(draft: ServiceDraft, { model, models, url }: PickedModel): Promise<End> {
		const { slug: known, wantedSlug, service, label, key, agree } = draft;
		const slug = known ?? slugFor(wantedSlug ?? service?.slug ?? slugOfAddress(draft.url), url);
		if (agree && key === undefined) {
			await agree();
			return this.settle({ slug, label, url, model });
		}
		// An entry that is there already, and a well-known service, says itself how it is asked.
		const isKnown = known !== undefined || wantedSlug !== undefined || service !== undefined;
		const kind = isKnown ? draft.form : await contacting(url, () => findForm({ url, key }, this.asking));
		const hasOwnLabel = known === undefined && label !== placeOf(draft.url);
		const entry = { url, ...defined({ kind, label: hasOwnLabel ? label : undefined, models }) };
		const { store } = this.services.keys;
		await saveEntry('server', slug, before => mergedEntry(before, entry), { store, slot: serverKey(slug, url), key });
		return this.settle({ slug, label, url, model });
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

/** An existing server keeps its name. */
function slugFor(wanted: string, url: string): string {
	const same = readOwnServers().find(({ setting }) => setting.url === url);
	return same?.slug ?? freeSlug(wanted, readSetting('errand.local.upstreams'));
}

/**
 * Returns the name by which requests reach this model of this provider, or undefined if the service does not offer it.
 * Another provider may have a model of the same id; then only a prefix distinguishes them.
 */
export function requestName(
	{ models, providers, providerPrefixes }: Offer,
	slug: string,
	model: string,
): string | undefined {
	const hosts = providers.filter(provider => provider.models?.includes(model)).map(provider => provider.slug);
	if (!hosts.includes(slug) || !models.some(({ id }) => id === model)) {
		return undefined;
	}
	const others = hosts.filter(host => host !== slug && host !== localConnection.service);
	const prefix = providerPrefixes.find(({ provider }) => provider === slug)?.prefix;
	return others.length === 0 || prefix === undefined ? model : `${prefix}/${model}`;
}

/** Makes a model of the local connection the one that chat uses, in all conversations for which no other was chosen. */
async function makeDefault(name: string): Promise<void> {
	if (readSetting('errand.connection') !== LOCAL_CONNECTION_NAME) {
		await writeSetting('errand.connection', LOCAL_CONNECTION_NAME);
	}
	if (readSetting('errand.chat.model') !== name) {
		await writeSetting('errand.chat.model', name);
		await settingHolds('errand.chat.model', value => value === name);
	}
}
