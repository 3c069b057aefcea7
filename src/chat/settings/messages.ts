// The texts for models, routing policies and parameters in the editor's quick picks and messages.
import * as vscode from 'vscode';
import { ClientError } from '../../base/errors.ts';
import { explainFailure } from '../../base/explainFailure.ts';
import type { ConnectionModel } from '../../contract/modelIdentifier.ts';
import { readPrices } from '../../contract/prices.ts';
import type { RoutingProblem } from '../../contract/routing.ts';
import type { RoutingPolicy } from '../../contract/routingPolicy.ts';
import { internalCommands } from '../../platform/ids.ts';
import { type Explanation, helpfulButton, quote } from '../../platform/notify.ts';
import { RequestRefusal } from '../model/applySettings.ts';
import type { TurnMode } from '../model/mode.ts';
import { excludesProviders, type Preset } from '../model/presets.ts';
import type { PreviewReason, PreviewRow } from '../model/preview.ts';
import type { ReplySettings, RetentionChoice } from '../model/settings.ts';

/** The length to which a model's text is cut if it answered with text in place of an image. */
const MAXIMUM_ANSWER = 500;

export type RoutingField = keyof RoutingPolicy;

export const presetDetails: Record<Preset, string> = {
	balanced: vscode.l10n.t('Balances providers by price and uptime.'),
	cheapest: vscode.l10n.t('Prefers the provider with the lowest price.'),
	fastest: vscode.l10n.t('Prefers the provider with the most tokens per second.'),
	latency: vscode.l10n.t('Prefers the provider with the shortest time to the first token.'),
	only: vscode.l10n.t('Uses only the providers that you select.'),
	private: vscode.l10n.t('Uses only providers that store nothing, with zero data retention.'),
};

/** The effects of the fields of a routing policy, as the settings describe them. */
export const fieldDetails: Record<RoutingField, string> = {
	sort: vscode.l10n.t('What providers are sorted by'),
	order: vscode.l10n.t('Providers to try first, in this order'),
	only: vscode.l10n.t('The only providers that may serve'),
	ignore: vscode.l10n.t('Providers that may not serve'),
	allow_fallbacks: vscode.l10n.t('Whether others may serve when the first can’t; true when not set'),
	require_parameters: vscode.l10n.t(
		'Whether a provider must support every parameter of the request; false when not set',
	),
	data_collection: vscode.l10n.t('Whether providers that may store data may serve; allow when not set'),
	quantizations: vscode.l10n.t('Quantizations that may serve, such as fp8'),
	preferred_min_throughput: vscode.l10n.t('Preferred minimum throughput, in tokens per second'),
	preferred_max_latency: vscode.l10n.t('Preferred maximum latency, in seconds'),
	zdr: vscode.l10n.t('Zero data retention: not set, false and true each mean something different'),
};

export function valueText(value: unknown): string {
	if (value === undefined) {
		return vscode.l10n.t('not set');
	}
	if (Array.isArray(value)) {
		return value.length === 0 ? vscode.l10n.t('nobody') : value.join(', ');
	}
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function retentionLabel(choice: RetentionChoice): string {
	return choice === 'account'
		? vscode.l10n.t('As set for the service')
		: choice
			? vscode.l10n.t('On')
			: vscode.l10n.t('Not required');
}

export function reasonText(reason: PreviewReason): string {
	switch (reason.kind) {
		case 'other-models':
			return vscode.l10n.t('doesn’t host this model');
		case 'closed-model':
			return vscode.l10n.t('serves only open models');
		case 'ignored':
			return vscode.l10n.t('listed in ignore');
		case 'not-in-only':
			return vscode.l10n.t('not listed in only');
		case 'not-in-order':
			return vscode.l10n.t('not listed in order, and fallbacks are off');
		case 'stores-data':
			return vscode.l10n.t('data_collection: deny, but {0}', knownPolicyText(reason.policy));
		case 'retains-data':
			return vscode.l10n.t('zdr: true, but {0}', knownPolicyText(reason.policy));
		case 'stores-and-retains-data':
			return vscode.l10n.t('data_collection: deny and zdr: true, but {0}', knownPolicyText(reason.policy));
		case 'quantization':
			return reason.offered.length === 0
				? vscode.l10n.t('its quantization isn’t known')
				: vscode.l10n.t('it runs {0}, which isn’t in quantizations', reason.offered.join(', '));
		case 'parameters':
			return vscode.l10n.t('it doesn’t support {0}', reason.missing.join(', '));
		case 'not-listed':
			return vscode.l10n.t('the connection doesn’t list this provider');
		case 'policy-unclear':
			return reason.policy === undefined
				? vscode.l10n.t('its data policy isn’t listed; the service decides')
				: vscode.l10n.t('its data policy is “{0}”; the service decides', reason.policy);
		case 'quantization-unknown':
			return vscode.l10n.t('its quantizations aren’t listed; the service decides');
		case 'parameters-unknown':
			return vscode.l10n.t('its parameters aren’t listed; the service decides');
		case 'in-order':
			return vscode.l10n.t('number {0} of order', reason.place);
		case 'after-order':
			return vscode.l10n.t('after those of order');
		case 'in-only':
			return vscode.l10n.t('listed in only');
		case 'price':
			return priceText(reason);
		case 'price-unknown':
			return vscode.l10n.t('price not listed');
		case 'measured':
			return reason.by === 'latency'
				? vscode.l10n.t('by the latency that the service measures')
				: vscode.l10n.t('by the throughput that the service measures');
		case 'sorted-by-object':
			return vscode.l10n.t('sorted by the object given in sort');
		case 'balanced':
			return vscode.l10n.t('balanced by price and uptime');
	}
}

function knownPolicyText(policy: string | undefined): string {
	return policy === undefined ? vscode.l10n.t('its policy isn’t known') : vscode.l10n.t('its policy is “{0}”', policy);
}

/** Formats prices in US dollars per million tokens. */
function priceText({ input, output }: { input?: number; output?: number }): string {
	const format = new Intl.NumberFormat(vscode.env.language, {
		style: 'currency',
		currency: 'USD',
		currencyDisplay: 'narrowSymbol',
		minimumFractionDigits: 0,
		maximumFractionDigits: 4,
	});
	if (input !== undefined && output !== undefined) {
		return vscode.l10n.t('{0} in, {1} out per 1M tokens', format.format(input), format.format(output));
	}
	return input === undefined
		? vscode.l10n.t('{0} out per 1M tokens, input price not listed', format.format(output ?? 0))
		: vscode.l10n.t('{0} in per 1M tokens, output price not listed', format.format(input));
}

/** Describes a model in a list, besides its name. For a model with several hosts, the price is the lowest. */
export function modelText(model: ConnectionModel, hasSeveralHosts: boolean): string {
	const { kinds, contextLength, tools, images, openWeights, codeOriented, prices } = model;
	const number = new Intl.NumberFormat(vscode.env.language, { notation: 'compact' });
	const known = readPrices(prices);
	return [
		// Nearly every chat model has the other endpoints as well, for programs.
		...kinds
			.filter(kind => kind === 'image' || kind === 'search' || !kinds.includes('chat'))
			.map(kind => kindTexts[kind]),
		contextLength === undefined ? '' : vscode.l10n.t('{0} context', number.format(contextLength)),
		tools === true ? vscode.l10n.t('tools') : tools === false ? vscode.l10n.t('no tools') : '',
		images === true ? vscode.l10n.t('accepts images') : images === false ? vscode.l10n.t('no images') : '',
		openWeights === true ? vscode.l10n.t('open weights') : openWeights === false ? vscode.l10n.t('closed weights') : '',
		codeOriented === true ? vscode.l10n.t('zero data retention over the responses endpoint') : '',
		known === undefined ? '' : hasSeveralHosts ? vscode.l10n.t('from {0}', priceText(known)) : priceText(known),
	]
		.filter(part => part !== '')
		.join(' · ');
}

const kindTexts: Record<ConnectionModel['kinds'][number], string> = {
	chat: vscode.l10n.t('chat'),
	responses: vscode.l10n.t('responses endpoint'),
	image: vscode.l10n.t('generates images'),
	search: vscode.l10n.t('searches the web'),
	encrypted: vscode.l10n.t('encrypted channel'),
};

/**
 * Explains why a request was not sent, or how its settings made it fail. Returns undefined if they have nothing to do
 * with it.
 */
export function explainRequestFailure(
	error: unknown,
	asked: ReplySettings | undefined,
	mode: TurnMode,
): Explanation | undefined {
	const action = { label: vscode.l10n.t('Change Routing Policy'), command: internalCommands.selectPolicy };
	const choose = helpfulButton('chooseModel');
	if (error instanceof RequestRefusal) {
		const { problem } = error;
		if (problem.kind === 'image-gone' || problem.kind === 'images-too-large') {
			return { message: refusalText(error) };
		}
		const isModel =
			problem.kind === 'no-images' ||
			problem.kind === 'no-fields' ||
			(problem.kind === 'routing' && problem.problem.reason.kind !== 'nobody');
		return { message: refusalText(error), action: isModel ? choose : action };
	}
	if (!(error instanceof ClientError)) {
		return undefined;
	}
	const { code, serviceMessage, upstreams } = error;
	if (upstreams.length > 0 && code === 'not-found') {
		return asked && explainUnlisted(error, asked);
	}
	if (code === 'not-found' && !error.isPage && asked && mode === 'chat') {
		return { message: notFoundText(asked, serviceMessage) + quote(serviceMessage), action: choose };
	}
	if (code === 'bad-response' && mode === 'image' && asked && serviceMessage !== undefined) {
		const words = vscode.l10n.t('{0} replied with text instead of an image.', asked.model);
		return { message: words + quote(serviceMessage, MAXIMUM_ANSWER) };
	}
	const { only, order, allow_fallbacks } = asked?.provider ?? {};
	const named = only ?? (allow_fallbacks === false ? order : undefined);
	const isProviders = code === 'upstream' || code === 'server' || code === 'rate-limited' || code === 'timeout';
	if (!isProviders || named === undefined || named.length === 0) {
		return undefined;
	}
	const message = vscode.l10n.t(
		'The routing policy allows only {0}, which didn’t serve the request.',
		named.join(', '),
	);
	// The failures of the individual model servers say more than the local service's message about all of them.
	const why = upstreams.length > 0 ? ` ${explainFailure(error, { name: '' }).cause}` : quote(serviceMessage);
	return { message: message + why, action };
}

/** An unknown model may belong to a server that did not list it, so the failure of each server is explained. */
function explainUnlisted(error: ClientError, { model }: ReplySettings): Explanation {
	const { cause, help } = explainFailure(error, { name: '' });
	return {
		message: `${vscode.l10n.t('No model server currently lists “{0}”.', model)} ${cause}`,
		action: help?.server === undefined ? helpfulButton('chooseModel') : helpfulButton(help.action, help.server),
	};
}

/** A wrong address also gives a 404. Only words about the model or its providers distinguish the two. */
function notFoundText({ model, provider }: ReplySettings, said = ''): string {
	if (!said.includes(model) && !/model|provider|deployment/i.test(said)) {
		return vscode.l10n.t(
			'The service doesn’t have the model “{0}”, or nothing serves models at its address. Select a different model, or check the connection’s address.',
			model,
		);
	}
	return excludesProviders(provider ?? {})
		? vscode.l10n.t('The service has no model “{0}”, or no provider that serves it under this routing policy.', model)
		: vscode.l10n.t('The service has no model “{0}”. Select a different one.', model);
}

export function noImagesText(model: string): string {
	return vscode.l10n.t('Not sent: {0} doesn’t accept images. Select a model that does, or remove them.', model);
}

function refusalText({ problem }: RequestRefusal): string {
	switch (problem.kind) {
		case 'setting':
			return vscode.l10n.t('Not sent: couldn’t read the setting {0}. {1}', problem.setting, problem.issue);
		case 'routing': {
			return routingText(problem.problem);
		}
		case 'image':
			return vscode.l10n.t(
				'Not sent: images can’t be generated with a routing policy that excludes providers. Select a different routing policy first.',
			);
		case 'no-images':
			return noImagesText(problem.model);
		case 'no-fields':
			return vscode.l10n.t(
				'Not sent: {0} uses the responses endpoint, which doesn’t support {1}. Reset it, or select a different model.',
				problem.model,
				problem.fields.join(', '),
			);
		case 'images-too-large':
			return vscode.l10n.t(
				'Not sent: the images of this conversation are larger than 11 MB in total. Start a new conversation.',
			);
		case 'image-gone':
			return vscode.l10n.t(
				'Not sent: the image {0} of this conversation no longer exists. Edit the message it was attached to.',
				problem.label,
			);
		case 'nobody':
			return vscode.l10n.t('Not sent: the routing policy leaves no provider. {0}', rowsText(problem.rows));
	}
}

function routingText({ field, value, reason }: RoutingProblem): string {
	const said = typeof value === 'string' ? value : JSON.stringify(value);
	if (reason.kind === 'nobody') {
		const nobody =
			reason.among === 'order'
				? vscode.l10n.t('Not sent: {0} is {1}, and none of them may serve the request.', field, said)
				: vscode.l10n.t('Not sent: {0} is {1}, which leaves no provider to serve the request.', field, said);
		return reason.openOnly === undefined
			? nobody
			: `${nobody} ${vscode.l10n.t('{0} serves only open models, and this one is closed.', reason.openOnly)}`;
	}
	const refused =
		reason.kind === 'alias'
			? vscode.l10n.t('Not sent: {0} is an alias, which only the enterprise host supports.', said)
			: vscode.l10n.t('Not sent: {0} has a provider prefix, which only the enterprise host supports.', said);
	const instead =
		reason.kind === 'alias'
			? vscode.l10n.t('Select its base model.')
			: vscode.l10n.t('Select the model without the prefix.');
	const first = reason.order?.[0];
	return first === undefined
		? `${refused} ${instead}`
		: `${refused} ${instead} ${vscode.l10n.t('The order of the routing policy can put {0} first.', first)}`;
}

const MAXIMUM_NAMED = 4;

/**
 * Lists the main reason against each provider, limited to the providers that the routing policy names, if it names any.
 */
function rowsText(rows: readonly PreviewRow[]): string {
	const unnamed = new Set(['other-models', 'not-in-only', 'not-in-order']);
	const named = rows.filter(({ reasons }) => !reasons.some(({ kind }) => unnamed.has(kind)));
	const told = named.length > 0 ? named : rows;
	const said = told
		.slice(0, MAXIMUM_NAMED)
		.map(({ slug, reasons: [first] }) => `${slug}: ${first ? reasonText(first) : ''}`);
	return `${said.join('; ')}${told.length > MAXIMUM_NAMED ? '…' : '.'}`;
}
