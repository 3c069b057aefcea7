// Writes a server into the settings and its key into the secret storage, and reads how the local service handles it.
import { defined } from '../base/defined.ts';
import { placeOf } from '../base/hostname.ts';
import { LOCAL_CONNECTION_NAME, localConnection } from '../contract/localConnection.ts';
import { findModel } from '../contract/modelIdentifier.ts';
import { clearSetting, readSetting, settingHolds, writeSetting } from '../platform/settings.ts';
import type { KeyStore } from './keys/keyStore.ts';
import { entriesOf } from './model/entries.ts';
import { serverKey } from './model/keyFormat.ts';
import { freeSlug, type ServerEntry, slugOfAddress, withEntry } from './model/serverEntries.ts';
import type { ServiceDraft } from './model/serviceDraft.ts';
import { readUpstreamSettings } from './model/upstreamSettings.ts';
import type { PickedModel } from './pickModel.ts';
import type { Offer } from './services.ts';
import { writeEntries } from './writeEntries.ts';

/**
 * Stores the server under its name, or under a new one. The key is saved before the entry, so that the service never
 * asks the server without it.
 */
export async function saveServer(
	store: KeyStore,
	{ slug: known, wantedSlug, label, url: typed, form: kind, key, service }: ServiceDraft,
	{ url, models }: PickedModel,
): Promise<{ slug: string; url: string }> {
	const slug = known ?? slugFor(wantedSlug ?? service?.slug ?? slugOfAddress(typed), url);
	const hasOwnLabel = known === undefined && label !== placeOf(typed);
	const entry = { url, ...defined({ kind, label: hasOwnLabel ? label : undefined, models }) };
	await writeServer(store, slug, entry, { key, holds: value => Object.hasOwn(value, slug) });
	return { slug, url };
}

async function writeServer(
	store: KeyStore,
	slug: string,
	entry: ServerEntry,
	{ key, holds }: { key: string | undefined; holds(value: Record<string, unknown>): boolean },
): Promise<void> {
	const write = () => writeEntries('errand.local.upstreams', entries => withEntry(entries, slug, entry), holds);
	await (key === undefined ? write() : store.saveWith(serverKey(slug, entry.url), key, write));
}

/** An existing server keeps its name. */
function slugFor(wanted: string, url: string): string {
	const value = readSetting('errand.local.upstreams');
	const same = readUpstreamSettings(value).upstreams.find(({ setting }) => setting.url === url);
	return same?.slug ?? freeSlug(wanted, value);
}

/** Writes another address, and a key that was pasted with it. */
export async function updateAddress(
	store: KeyStore,
	slug: string,
	{ url, key }: { url: string; key: string | undefined },
): Promise<void> {
	const holds = (value: unknown) => entriesOf(entriesOf(value)[slug])['url'] === url;
	await writeServer(store, slug, { url }, { key, holds });
}

export async function removeServer(store: KeyStore, slug: string, url: string): Promise<void> {
	await writeEntries(
		'errand.local.upstreams',
		entries => ({ ...entries, [slug]: undefined }),
		entries => !Object.hasOwn(entries, slug),
	);
	await store.remove(serverKey(slug, url));
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
export async function makeDefault(name: string): Promise<void> {
	if (readSetting('errand.connection') !== LOCAL_CONNECTION_NAME) {
		await writeSetting('errand.connection', LOCAL_CONNECTION_NAME);
	}
	if (readSetting('errand.chat.model') !== name) {
		await writeSetting('errand.chat.model', name);
		await settingHolds('errand.chat.model', value => value === name);
	}
}

/**
 * Removes the default model from the settings if the service no longer offers it. It stays if it may belong to a server
 * whose models are not known now.
 */
export async function forgetMissingDefault(offer: Offer): Promise<void> {
	if (offer.upstreamProblems.length > 0) {
		return;
	}
	const name = readSetting('errand.chat.model');
	const isLocal = readSetting('errand.connection') === LOCAL_CONNECTION_NAME;
	if (isLocal && name !== '' && findModel({ ...localConnection, ...offer }, name) === undefined) {
		await clearSetting('errand.chat.model');
	}
}
