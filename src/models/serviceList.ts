// The one list of all sources of models: connections, and the model servers behind the local one.
import * as vscode from 'vscode';
import { placeOf } from '../base/hostname.ts';
import { oneLine } from '../base/plainText.ts';
import type { Connection } from '../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import { type Action, action, leaving, runActions, toCommand } from '../platform/actionList.ts';
import { commands } from '../platform/ids.ts';
import { choose, separator, shownText } from '../platform/pick.ts';
import { readSetting } from '../platform/settings.ts';
import { ownerText, upstreamProblemText } from './hosts/messages.ts';
import { serverKeyUse } from './keys/keyUse.ts';
import { keyStateText } from './keys/messages.ts';
import { manageConnection, manageFoundServer, manageServer } from './manageService.ts';
import { connectionNames } from './model/readConnection.ts';
import {
	describeConnection,
	type ManageEnd,
	readOwnServers,
	type Services,
	unusableRows,
	use,
	usedServers,
} from './services.ts';

const MAXIMUM_DETAIL = 200;

/**
 * Lists the services with their host and state. Choosing a connection makes it the active one; one that cannot be used
 * is repaired in a separate list, as is a model server.
 */
export async function showServices(services: Services): Promise<void> {
	await runActions<'leave'>({
		title: vscode.l10n.t('Switch or Add Connection'),
		placeHolder: () => vscode.l10n.t('Select the service for chat and tasks'),
		name: '',
		async rows() {
			const servers = await serverRows(services);
			const own = connectionNames(readSetting('errand.connections')).filter(name => name !== LOCAL_CONNECTION_NAME);
			const change = () => chooseToChange(own, services);
			const report = leaving(() => services.diagnose(readSetting('errand.connection')));
			return [
				...(await connectionRows(services)),
				...(servers.length === 0 ? [] : [separator<Row['value']>(vscode.l10n.t('Model servers')), ...servers]),
				separator(''),
				action('add', vscode.l10n.t('Add Service…'), toCommand(commands.addService)),
				// Choosing a connection switches to it, so a separate row leads to its settings.
				...(own.length > 0 ? [action('edit', vscode.l10n.t('Change a Connection…'), change)] : []),
				action('pulse', vscode.l10n.t('Diagnose the Connection in Use'), report),
			];
		},
	});
}

type Row = Action<'leave'>;

/** The list comes back without a service that was removed. */
const managed = (manage: () => Promise<ManageEnd | undefined>) => async (): Promise<'leave' | undefined> =>
	(await manage()) === 'removed' ? undefined : 'leave';

async function connectionRows(services: Services): Promise<Row[]> {
	const { keys } = services;
	// The setting may name a connection that does not exist (any more); it is listed too, as it is the one in use.
	const names = new Set([...connectionNames(readSetting('errand.connections')), readSetting('errand.connection')]);
	return Promise.all(
		[...names].map(async (name): Promise<Row> => {
			const isActive = name === readSetting('errand.connection');
			const inUse = isActive ? vscode.l10n.t('in use') : '';
			const words = (first: string) => [first, inUse].filter(Boolean).join(' · ');
			const described = describeConnection(name);
			if ('sentence' in described) {
				const manage = managed(() => manageConnection(name, services));
				const repair = described.isThere ? manage : toCommand(commands.addService);
				const unusable = words(vscode.l10n.t('cannot be used'));
				return action('warning', shownText(name), repair, unusable, described.problem);
			}
			const { connection } = described;
			const isLocal = name === LOCAL_CONNECTION_NAME;
			return action(
				isActive ? 'check' : 'plug',
				// Labels are arbitrary and may be the same for two connections; only the name identifies one in the settings.
				shownText(connection.label ?? name),
				leaving(() => use(name, keys)),
				words(connection.label === undefined || isLocal ? '' : oneLine(name)),
				isLocal
					? vscode.l10n.t('Runs on this machine, no account needed')
					: `${hostOf(connection)} · ${keyStateText(await keys.state(connection, 'inference'))}`,
			);
		}),
	);
}

function hostOf({ plan, apiUrl, enterpriseUrl }: Connection): string {
	return (plan === 'enterprise' && enterpriseUrl) || apiUrl;
}

async function serverRows(services: Services): Promise<Row[]> {
	const { keys, local } = services;
	const described = local.described();
	const own = readOwnServers().map(async (server): Promise<Row> => {
		const { label, setting } = server;
		const problem = described.upstreamProblems.find(({ slug }) => slug === server.slug);
		const manage = managed(() => manageServer(server, services));
		const state = keyStateText(await keys.for(serverKeyUse(server)).state());
		const detail = oneLine(problem ? upstreamProblemText(problem, setting.url) : state, MAXIMUM_DETAIL);
		return action(problem ? 'warning' : 'server', shownText(label), manage, placeOf(setting.url), detail);
	});
	return [
		...(await Promise.all(own)),
		...usedServers(described).map((found): Row => {
			const manage = managed(() => manageFoundServer(found, services));
			const detail = vscode.l10n.t('Found on this machine and used with your permission. {0}', ownerText(found.owner));
			return action('server', shownText(found.label), manage, placeOf(found.url), detail);
		}),
		...unusableRows(),
	];
}

async function chooseToChange(names: readonly string[], services: Services): Promise<'leave' | undefined> {
	const rows = names.map(name => {
		const described = describeConnection(name);
		const description =
			'sentence' in described ? vscode.l10n.t('cannot be used') : placeOf(described.connection.apiUrl);
		return { label: shownText(name), description, iconPath: new vscode.ThemeIcon('plug'), value: name };
	});
	const name = await choose(vscode.l10n.t('Change a Connection'), rows);
	return name === undefined ? undefined : managed(() => manageConnection(name, services))();
}
