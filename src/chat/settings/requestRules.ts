import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { type ChatRequest, chatParametersSchema } from '../../contract/chatRequest.ts';
import type { Connection } from '../../contract/connection.ts';
import type { ConnectionModel } from '../../contract/modelIdentifier.ts';
import { zeroDataRetentionOf } from '../../contract/zeroDataRetention.ts';
import { explainError } from '../../platform/notify.ts';
import { shownText } from '../../platform/pick.ts';
import type { ModelDescription, RequestRules } from '../api.ts';
import { applySettings, RequestRefusal, type SettingsSource } from '../model/applySettings.ts';
import { knownCost, replyCost } from '../model/cost.ts';
import { hostsOf } from '../model/modelChoices.ts';
import { nameOf } from '../model/presets.ts';
import { type PreviewRow, previewOf } from '../model/preview.ts';
import { replySettings, settingsInForce } from '../model/settings.ts';
import { retentionText, routingLabel } from '../protocol/labels.ts';
import { explainRequestFailure, modelText, reasonText } from './messages.ts';
import { readChatSettings } from './readChatSettings.ts';

/** `connection` resolves to the active connection, including facts that only its service knows. */
export function requestRules(connection: SettingsSource['connection']): RequestRules {
	return {
		async apply(request) {
			try {
				return { kind: 'ready', ...(await applied(request, connection)) };
			} catch (error) {
				const explanation = error instanceof RequestRefusal && explainRequestFailure(error, undefined, 'chat');
				if (explanation) {
					return { kind: 'refused', explanation };
				}
				throw error;
			}
		},
		explain(error, request, label) {
			const { model, provider } = request ?? {};
			const asked = model === undefined ? undefined : { model, ...defined({ provider }) };
			return explainRequestFailure(error, asked, 'chat') ?? explainError(error, label);
		},
		describe(described, model) {
			try {
				return describeModel(described, model);
			} catch (error) {
				const explanation = explainRequestFailure(error, undefined, 'chat');
				if (explanation) {
					return { served: vscode.l10n.t('can’t be used'), lines: [explanation.message] };
				}
				throw error;
			}
		},
		cost: (described, { model, provider, usage }) => knownCost(replyCost(described, { model, provider, usage })),
	};
}

async function applied(
	request: ChatRequest,
	connection: SettingsSource['connection'],
): Promise<{ request: ChatRequest; connection: Connection }> {
	const user = readChatSettings();
	const own = Object.fromEntries(Object.entries(request).filter(([name]) => name in chatParametersSchema.shape));
	const defaults = () => ({ ...user, instructions: '', parameters: { ...user.parameters, ...own } });
	return applySettings(request, undefined, { defaults, connection }, 'chat');
}

function describeModel(connection: Connection, model: ConnectionModel): ModelDescription {
	const user = readChatSettings();
	const { routing } = settingsInForce(user);
	const asked = replySettings(model.id, { models: [], routing, parameters: user.parameters, instructions: '' });
	const rows = previewOf(connection, asked).filter(isAbout);
	const candidates = rows.filter(({ verdict }) => verdict !== 'out');
	const excluded = rows.filter(({ verdict }) => verdict === 'out');
	const policy = routingLabel(nameOf(routing));
	const retention = zeroDataRetentionOf(connection, { model: model.id, provider: routing }, 'chat');
	const facts = modelText({ ...model, kinds: ['chat'] }, hostsOf(connection, model.id).length > 1);
	return {
		served: [servedText(rows, candidates), policy].filter(part => part !== '').join(' · '),
		lines: [
			...(facts === '' ? [] : [facts]),
			vscode.l10n.t('Routing policy: {0}.', policy),
			rows.length === 0
				? vscode.l10n.t('The connection lists no providers, so only the service knows which ones it has.')
				: candidates.length === 0
					? vscode.l10n.t('The routing policy excludes every provider.')
					: vscode.l10n.t('May be served by: {0}.', rowsText(candidates)),
			...(excluded.length === 0 ? [] : [vscode.l10n.t('Left out: {0}.', rowsText(excluded))]),
			vscode.l10n.t('Zero data retention: {0}', retentionText(retention)),
		],
	};
}

/** A provider of other models says nothing about this one. */
const isAbout = ({ reasons }: PreviewRow) => !reasons.some(({ kind }) => kind === 'other-models');

function servedText(rows: readonly PreviewRow[], candidates: readonly PreviewRow[]): string {
	const [first, ...others] = candidates;
	if (first === undefined) {
		return rows.length === 0 ? '' : vscode.l10n.t('no provider');
	}
	return others.length === 0 ? providerName(first) : vscode.l10n.t('{0} providers', candidates.length);
}

const MAXIMUM_NAMED = 4;

function rowsText(rows: readonly PreviewRow[]): string {
	const named = rows
		.slice(0, MAXIMUM_NAMED)
		.map(row => `${providerName(row)} (${row.reasons.map(reasonText).join(', ')})`);
	return named.join(', ') + (rows.length > MAXIMUM_NAMED ? '…' : '');
}

const providerName = ({ slug, label = slug }: PreviewRow) => shownText(label);
