// The user's model servers: those of the settings, and found ones to which the user has agreed.
import * as vscode from 'vscode';
import { oneLine } from '../base/plainText.ts';
import type { FoundServer } from '../contract/foundServers.ts';
import type { UpstreamSetting } from '../contract/upstreams.ts';
import { type Action, action, toSetting } from '../platform/actionList.ts';
import { shownText } from '../platform/pick.ts';
import { settingIssueText } from '../platform/settingIssue.ts';
import { readSetting } from '../platform/settings.ts';
import type { DescribedServers } from './api.ts';
import { type KeyStore, stateOf } from './keys/keyStore.ts';
import { keyEnding, serverKey } from './model/keyFormat.ts';
import { readUpstreamSettings } from './model/upstreamSettings.ts';

/** A server of the settings. */
export interface OwnServer {
	slug: string;
	label: string;
	setting: UpstreamSetting;
	/** The state of its key in words. */
	keyText: string;
	keyState: ReturnType<typeof stateOf>;
}

export async function readOwnServers(store: KeyStore): Promise<OwnServer[]> {
	const { upstreams } = readUpstreamSettings(readSetting('errand.local.upstreams'));
	return Promise.all(
		upstreams.map(async ({ slug, setting }) => ({
			slug,
			label: setting.label ?? slug,
			setting,
			...(await readKeyState(store, slug, setting.url)),
		})),
	);
}

const MAXIMUM_DETAIL = 200;

/** The entries of the setting that cannot be used, each of which leads there. */
export function unusableRows(): Action<'leave'>[] {
	const { problems } = readUpstreamSettings(readSetting('errand.local.upstreams'));
	return problems.map(({ slug, issue, entry }) =>
		action(
			'warning',
			shownText(slug),
			toSetting('errand.local.upstreams'),
			vscode.l10n.t('cannot be used'),
			issue === undefined
				? vscode.l10n.t('the name is already in use, or isn’t in lowercase letters and digits')
				: oneLine(settingIssueText(issue, entry), MAXIMUM_DETAIL),
		),
	);
}

async function readKeyState(
	store: KeyStore,
	slug: string,
	url: string,
): Promise<Pick<OwnServer, 'keyText' | 'keyState'>> {
	const slot = serverKey(slug, url);
	const stored = await store.read(slot);
	const keyState = stateOf(stored, slot);
	const { key = '', origins: [origin = ''] = [] } = stored ?? {};
	const ending = keyEnding(key);
	const keyText = {
		missing: vscode.l10n.t('no key'),
		unconfirmed: vscode.l10n.t('its key was saved for {0} and isn’t sent: enter it again', origin),
		set: ending === '' ? vscode.l10n.t('key set') : vscode.l10n.t('key set, ends in {0}', ending),
	}[keyState];
	return { keyState, keyText };
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
