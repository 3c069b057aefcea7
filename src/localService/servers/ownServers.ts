// The model servers that the user has already: those of the settings, and found ones that were agreed to.
import * as vscode from 'vscode';
import type { FoundServer } from '../../contract/foundServers.ts';
import type { UpstreamSetting } from '../../contract/upstreams.ts';
import { readSetting } from '../../platform/settings.ts';
import type { UpstreamKeyStore } from '../model/upstreamKeyStore.ts';
import { readUpstreamSettings } from '../model/upstreamSettings.ts';

/** A server of the settings. */
export interface OwnServer {
	slug: string;
	label: string;
	setting: UpstreamSetting;
	/** Says whether its key is there. */
	keyText: string;
	hasKey: boolean;
}

export async function readOwnServers(keys: UpstreamKeyStore): Promise<OwnServer[]> {
	const { upstreams } = readUpstreamSettings(readSetting('errand.local.upstreams'));
	return Promise.all(
		upstreams.map(async ({ slug, setting }) => {
			const { state } = await keys.state(slug, setting.url);
			const keyText = await serverKeyText(keys, slug, setting.url);
			return { slug, label: setting.label ?? slug, setting, keyText, hasKey: state === 'set' };
		}),
	);
}

/** Says whether there is a key for a server at that address. */
export async function serverKeyText(keys: UpstreamKeyStore, slug: string, url: string): Promise<string> {
	const state = await keys.state(slug, url);
	switch (state.state) {
		case 'missing':
			return vscode.l10n.t('no key');
		case 'unconfirmed':
			return vscode.l10n.t('its key was saved for {0} and is not sent: enter it again', state.origin);
		case 'set':
			return state.ending === '' ? vscode.l10n.t('key set') : vscode.l10n.t('key set, ends in {0}', state.ending);
	}
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

/** The found servers that are used. */
export function usedServers(found: readonly FoundServer[]): FoundServer[] {
	return found.filter(({ use }) => use === true);
}
