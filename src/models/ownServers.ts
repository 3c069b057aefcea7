// The user's model servers: those of the settings, and found ones to which the user has agreed.
import * as vscode from 'vscode';
import type { FoundServer } from '../contract/foundServers.ts';
import type { UpstreamSetting } from '../contract/upstreams.ts';
import { readSetting } from '../platform/settings.ts';
import type { DescribedServers } from './api.ts';
import type { KeyStore } from './keys/keyStore.ts';
import { isSavedFor, keyEnding, serverKey } from './model/keyFormat.ts';
import { readUpstreamSettings } from './model/upstreamSettings.ts';

/** A server of the settings. */
export interface OwnServer {
	slug: string;
	label: string;
	setting: UpstreamSetting;
	/** The state of its key in words. */
	keyText: string;
	/** `unconfirmed`: there is a key, but it was saved for another address, so it is not sent. */
	keyState: 'missing' | 'unconfirmed' | 'set';
}

export async function readOwnServers(store: KeyStore): Promise<OwnServer[]> {
	const { upstreams } = readUpstreamSettings(readSetting('errand.local.upstreams'));
	return Promise.all(
		upstreams.map(async ({ slug, setting }) => ({
			slug,
			label: setting.label ?? slug,
			setting,
			...(await keyStateOf(store, slug, setting.url)),
		})),
	);
}

async function keyStateOf(
	store: KeyStore,
	slug: string,
	url: string,
): Promise<Pick<OwnServer, 'keyText' | 'keyState'>> {
	const slot = serverKey(slug, url);
	const stored = await store.read(slot);
	if (stored === undefined) {
		return { keyState: 'missing', keyText: vscode.l10n.t('no key') };
	}
	if (!isSavedFor(stored.origins, slot.origins)) {
		const [origin = ''] = stored.origins;
		const text = vscode.l10n.t('its key was saved for {0} and isn’t sent: enter it again', origin);
		return { keyState: 'unconfirmed', keyText: text };
	}
	const ending = keyEnding(stored.key);
	return {
		keyState: 'set',
		keyText: ending === '' ? vscode.l10n.t('key set') : vscode.l10n.t('key set, ends in {0}', ending),
	};
}

/** Returns whether two addresses are the same server: hosts of this machine have several names. */
export function isSamePlace(one: string, other: string): boolean {
	const [first, second] = [new URL(one), new URL(other)];
	const host = ({ hostname, port, protocol }: URL) => `${protocol}//${localName(hostname)}:${port}`;
	return host(first) === host(second);
}

function localName(hostname: string): string {
	return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) ? 'localhost' : hostname;
}

/** Returns the found servers that are in use. */
export function usedServers({ foundServers }: DescribedServers): FoundServer[] {
	return foundServers.filter(({ use }) => use === true);
}
