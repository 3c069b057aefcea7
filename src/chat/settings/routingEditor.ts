import * as vscode from 'vscode';
import { append } from '../../base/append.ts';
import { parseJson } from '../../base/json.ts';
import type { Connection } from '../../contract/connection.ts';
import { dataPolicyText } from '../../contract/dataPolicy.ts';
import { type RoutingPolicy, routingPolicySchema } from '../../contract/routingPolicy.ts';
import { type Choice, choose, chooseSomeOrType, input, separator, typeSome } from '../../platform/pick.ts';
import { fieldDetails, type RoutingField, valueText } from './messages.ts';

/** The routing policy that is being edited: a conversation's own or the setting. */
export interface RoutingTarget {
	title: string;
	read(): RoutingPolicy;
	/** Rejects with an error whose message is a sentence for the user. */
	write(routing: RoutingPolicy): Promise<void>;
	preview(): Promise<void>;
}

const FIELDS = Object.keys(routingPolicySchema.shape) as RoutingField[];

/** The value of the row “Others…”, which no slug can have. */
const OTHERS = '…';

/** `keep` leaves the field as it is. */
type Edited = { value: unknown } | 'keep';

/** Edits a routing policy field by field. Each change is written at once; Escape ends the editing. */
export async function editRouting(connection: Connection, target: RoutingTarget): Promise<void> {
	let last: RoutingField | undefined;
	for (;;) {
		const routing = target.read();
		const items: Choice<RoutingField | 'preview'>[] = [
			...FIELDS.map(field => ({
				label: field,
				description: valueText(routing[field]),
				detail: fieldDetails[field],
				value: field,
			})),
			separator(''),
			{ label: vscode.l10n.t('$(eye) Preview Providers…'), value: 'preview' },
		];
		const placeHolder = vscode.l10n.t('Select a field to change; press Escape when done');
		const field = await choose(target.title, items, { placeHolder, active: last });
		if (field === undefined) {
			return;
		}
		if (field === 'preview') {
			await target.preview();
			continue;
		}
		last = field;
		const edited = await editField(connection, target.title, field, routing[field]);
		if (edited !== 'keep') {
			const { [field]: _, ...others } = routing;
			await target.write(edited.value === undefined ? others : { ...others, [field]: edited.value });
		}
	}
}

async function editField(
	connection: Connection,
	heading: string,
	field: RoutingField,
	value: unknown,
): Promise<Edited> {
	const title = `${heading}: ${field}`;
	switch (field) {
		case 'sort':
			return editWord(title, field, value, ['price', 'throughput', 'latency'], true);
		case 'data_collection':
			return editWord(title, field, value, ['allow', 'deny'], false);
		case 'allow_fallbacks':
		case 'require_parameters':
		case 'zdr':
			return editWord(title, field, value, [true, false], false);
		case 'order':
			return editOrder(connection, title, asSlugs(value));
		case 'only':
		case 'ignore':
			return editSlugs(title, field, providerChoices(connection), asSlugs(value));
		case 'quantizations': {
			const known = new Set(connection.providers.flatMap(({ quantizations = [] }) => quantizations));
			const choices = [...known].sort().map(level => ({ label: level, value: level }));
			return editSlugs(title, field, choices, asSlugs(value));
		}
		case 'preferred_min_throughput':
		case 'preferred_max_latency':
			return editValue(title, field, value, vscode.l10n.t('A number, or a JSON object; empty: not set'));
	}
}

const asSlugs = (value: unknown): string[] => (Array.isArray(value) ? value : []);

export function providerChoices({ providers }: Connection): Choice<string>[] {
	return providers.map(({ slug, label, dataPolicy }) => ({
		label: slug,
		description: [label, dataPolicyText(dataPolicy)].filter(part => part !== undefined && part !== slug).join(' · '),
		value: slug,
	}));
}

async function editWord(
	title: string,
	field: RoutingField,
	value: unknown,
	words: readonly (string | boolean)[],
	orObject: boolean,
): Promise<Edited> {
	const items: Choice<string | boolean>[] = [
		{ label: valueText(undefined), value: 'not-set' },
		...words.map(word => ({ label: String(word), value: word })),
		...(orObject ? [{ label: vscode.l10n.t('JSON object…'), value: 'object' }] : []),
	];
	const active = value === undefined ? 'not-set' : typeof value === 'object' ? 'object' : (value as string | boolean);
	const chosen = await choose(title, items, { placeHolder: fieldDetails[field], active });
	if (chosen === 'object') {
		return editValue(title, field, value, vscode.l10n.t('A JSON object, sent as it is; empty: not set'));
	}
	return chosen === undefined ? 'keep' : { value: chosen === 'not-set' ? undefined : chosen };
}

async function editValue(title: string, field: RoutingField, value: unknown, prompt: string): Promise<Edited> {
	const shown = value === undefined ? '' : JSON.stringify(value);
	const text = await input(title, prompt, shown, typed =>
		typed.trim() === '' || routingPolicySchema.shape[field].safeParse(parseJson(typed) ?? null).success
			? undefined
			: prompt,
	);
	return text === undefined ? 'keep' : { value: text.trim() === '' ? undefined : parseJson(text) };
}

/** Offers the values that the connection lists, the values that are set already, and any others that the user types. */
async function editSlugs(
	title: string,
	field: RoutingField,
	listed: readonly Choice<string>[],
	value: readonly string[],
): Promise<Edited> {
	const placeHolder = `${fieldDetails[field]} (${vscode.l10n.t('none: not set')})`;
	const chosen = await chooseSomeOrType(title, placeHolder, listed, value);
	return chosen === undefined ? 'keep' : { value: listOrNone(chosen) };
}

async function editOrder(connection: Connection, title: string, value: readonly string[]): Promise<Edited> {
	const order: string[] = [];
	for (;;) {
		const left = providerChoices(connection).filter(choice => !order.includes(choice.value));
		const strange = value.filter(slug => !order.includes(slug) && !left.some(choice => choice.value === slug));
		const items: Choice<string>[] = [
			{
				label: order.length === 0 ? vscode.l10n.t('$(circle-slash) Not Set') : vscode.l10n.t('$(check) Done'),
				description: order.join(', '),
				value: '',
			},
			separator(vscode.l10n.t('Number {0}', order.length + 1)),
			...left,
			...strange.map(slug => ({ label: slug, value: slug })),
			{ label: vscode.l10n.t('Others…'), value: OTHERS },
		];
		const active = value[order.length];
		const placeHolder = vscode.l10n.t('The provider to try as number {0}', order.length + 1);
		const slug = await choose(title, items, { placeHolder, active });
		if (slug === undefined) {
			return 'keep';
		}
		if (slug === '') {
			return { value: listOrNone(order) };
		}
		const added =
			slug === OTHERS ? await typeSome(title, vscode.l10n.t('Others, in this order, separated by commas')) : [slug];
		append(
			order,
			(added ?? []).filter(name => !order.includes(name)),
		);
	}
}

function listOrNone(values: readonly string[]): string[] | undefined {
	return values.length === 0 ? undefined : [...values];
}
